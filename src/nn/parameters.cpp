#include "nn/parameters.h"

#include "core/fail.h"
#include "core/quote.h"
#include "tensor/tensor_file.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/randn.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace gass::nn {
namespace {

std::string shown_shape(at::IntArrayRef shape) {
    return fmt::format("[{}]", fmt::join(shape.begin(), shape.end(), ", "));
}

/// "3 missing (a, b, c)"; long lists are cut.
void append_list(std::string& text, const std::vector<std::string>& names, std::string_view what) {
    constexpr std::size_t kShown = 8;
    if (names.empty()) return;
    const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kShown));
    text += fmt::format("{}{} {} ({}{})", text.empty() ? "" : ", ", names.size(), what,
                        fmt::join(names.begin(), end, ", "), names.size() > kShown ? ", …" : "");
}

}  // namespace

Parameters Parameters::operator/(std::string_view part) const {
    return {source_, full_name(part) + "."};
}

at::Tensor Parameters::tensor(std::string_view name, at::IntArrayRef shape) const {
    return source_->take(full_name(name), shape);
}

bool Parameters::has(std::string_view name) const {
    return source_->has(full_name(name));
}

void Parameters::allow(std::string_view name) const {
    source_->allow(full_name(name));
}

at::Tensor WeightChecker::take(const std::string& name, at::IntArrayRef shape) {
    known_.insert(name);
    const Weights::Entry* entry = weights_.find(name);
    if (entry == nullptr) {
        missing_.push_back(in_quotes(name));
    } else if (at::IntArrayRef(entry->tensor->shape) != shape) {
        misshapen_.push_back(fmt::format("{} is {}, expected {}", in_quotes(name),
                                         shown_shape(entry->tensor->shape), shown_shape(shape)));
    }
    return at::empty(shape, at::TensorOptions(at::kMeta).dtype(at::kFloat));
}

void WeightChecker::finish(std::string_view network) const {
    std::vector<std::string> unexpected;
    for (const Weights::Entry& entry : weights_.entries()) {
        if (!known_.contains(entry.tensor->name)) unexpected.push_back(in_quotes(entry.tensor->name));
    }
    std::string problems;
    append_list(problems, missing_, "missing");
    append_list(problems, unexpected, "unexpected");
    append_list(problems, misshapen_, "of another shape");
    if (problems.empty()) return;
    fail(ErrorCode::model_invalid, weights_.files().front()->path().string(),
         "the tensors do not fit {} as its config.json describes it: {}", network, problems);
}

at::Tensor WeightLoader::take(const std::string& name, at::IntArrayRef) {
    const at::Tensor stored = load_tensor(*weights_.find(name));
    const bool computes = stored.is_floating_point();
    return stored.to(placement_.device, computes ? placement_.dtype : stored.scalar_type());
}

at::Tensor RandomParameters::take(const std::string&, at::IntArrayRef shape) {
    // The inputs that one output sums over; vectors are biases and norms, small beside their inputs.
    std::int64_t inputs = 1;
    for (std::size_t i = 1; i < shape.size(); ++i) inputs *= shape[i];
    const double scale = shape.size() > 1 ? 1.0 / std::sqrt(static_cast<double>(inputs)) : 0.1;
    return at::randn(shape, at::TensorOptions(placement_.device).dtype(placement_.dtype)).mul_(scale);
}

}  // namespace gass::nn
