#include "guidance/composite.h"

#include "core/fail.h"

#include <algorithm>

namespace gass {

Composite::Composite(std::vector<Part> parts, std::int64_t images)
    : parts_(std::move(parts)), images_(images) {
    std::string selecting;
    const Part* steering = nullptr;
    for (const Part& part : parts_) {
        constexpr std::int64_t kSomeImages = 8;
        if (part.method->candidates(kSomeImages) > kSomeImages) {
            if (selecting_ != nullptr) {
                fail(ErrorCode::usage, "--method", "{} and {} both choose images; only one can", selecting,
                     part.name);
            }
            selecting_ = part.method.get();
            selecting = part.name;
        }
        if (!part.method->injection()) continue;
        if (steering != nullptr && steering->method->injection() != part.method->injection()) {
            fail(ErrorCode::usage, "--method",
                 "{} and {} put what they steer back in different ways; gass:injection=rederive is the "
                 "others'",
                 steering->name, part.name);
        }
        steering = &part;
    }
}

bool Composite::looks() const {
    return std::ranges::any_of(parts_, [](const Part& part) { return part.method->looks(); });
}

std::int64_t Composite::candidates(std::int64_t images) const {
    return selecting_ == nullptr ? images : selecting_->candidates(images);
}

at::Tensor Composite::start(const at::Tensor& noise, const std::vector<std::uint64_t>& seeds) {
    at::Tensor result = noise;
    for (const Part& part : parts_) result = part.method->start(result, seeds);
    return result;
}

std::vector<std::size_t> Composite::scout(const Schedule& schedule, std::int64_t candidates) const {
    return selecting_ == nullptr ? std::vector<std::size_t>{} : selecting_->scout(schedule, candidates);
}

Condition Composite::condition(const Condition& condition, const GroupStep& at) {
    Condition result = condition;
    for (const Part& part : parts_) result = part.method->condition(result, at);
    return result;
}

Condition Composite::unconditional(const Condition& unconditional, const GroupStep& at) {
    Condition result = unconditional;
    for (const Part& part : parts_) result = part.method->unconditional(result, at);
    return result;
}

double Composite::guidance(double cfg_scale, const GroupStep& at) {
    for (const Part& part : parts_) cfg_scale = part.method->guidance(cfg_scale, at);
    return cfg_scale;
}

std::optional<at::Tensor> Composite::select(const at::Tensor& clean, const GroupStep& at) {
    return selecting_ == nullptr ? std::nullopt : selecting_->select(clean, at);
}

at::Tensor Composite::steer(const at::Tensor& clean, const GroupStep& at) {
    // Candidates that will be dropped are nobody's neighbours.
    if (clean.size(0) > images_) return clean;
    at::Tensor result = clean;
    for (const Part& part : parts_) result = part.method->steer(result, at);
    return result;
}

std::optional<Injection> Composite::injection() const {
    for (const Part& part : parts_) {
        if (const std::optional<Injection> own = part.method->injection()) return own;
    }
    return std::nullopt;
}

std::optional<std::vector<MethodStep>> Composite::report() const {
    std::vector<MethodStep> steps;
    for (const Part& part : parts_) {
        const auto own = part.method->report().value_or(std::vector<MethodStep>());
        steps.insert(steps.end(), own.begin(), own.end());
    }
    const auto index = [](const MethodStep& step) {
        return std::visit([](const auto& one) { return one.step; }, step);
    };
    std::ranges::stable_sort(steps, {}, index);
    return steps;
}

}  // namespace gass
