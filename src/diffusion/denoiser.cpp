#include "diffusion/denoiser.h"

#include <ATen/Functions.h>

namespace gass {
namespace {

/// Applies `change` to the tensors that are there.
template <class Change>
Condition mapped(const Condition& condition, const Change& change) {
    return {change(condition.sequence), condition.pooled.defined() ? change(condition.pooled) : at::Tensor()};
}

}  // namespace

Condition Condition::rows(std::int64_t first, std::int64_t count) const {
    return mapped(*this, [&](const at::Tensor& tensor) { return tensor.narrow(0, first, count); });
}

Condition Condition::select(const at::Tensor& indices) const {
    return mapped(*this, [&](const at::Tensor& tensor) { return tensor.index_select(0, indices); });
}

Condition Condition::repeated(std::int64_t count) const {
    return mapped(*this, [&](const at::Tensor& tensor) {
        std::vector<std::int64_t> shape = tensor.sizes().vec();
        shape.front() = count;
        return tensor.expand(shape);
    });
}

Condition Condition::concatenated(const std::vector<Condition>& parts) {
    std::vector<at::Tensor> sequences;
    std::vector<at::Tensor> pooled;
    for (const Condition& part : parts) {
        sequences.push_back(part.sequence);
        if (part.pooled.defined()) pooled.push_back(part.pooled);
    }
    return {at::cat(sequences), pooled.empty() ? at::Tensor() : at::cat(pooled)};
}

}  // namespace gass
