#include "guidance/composite.h"

#include <algorithm>

namespace gass {

Composite::Composite(std::vector<std::unique_ptr<Method>> parts, std::optional<std::size_t> selecting,
                     std::int64_t images)
    : parts_(std::move(parts)),
      selecting_(selecting ? parts_.at(*selecting).get() : nullptr),
      images_(images) {
}

Schedule Composite::schedule(Schedule usual) const {
    for (const auto& part : parts_) usual = part->schedule(std::move(usual));
    return usual;
}

std::optional<std::size_t> Composite::choice_step(const Schedule& schedule) const {
    return selecting_ == nullptr ? std::nullopt : selecting_->choice_step(schedule);
}

at::Tensor Composite::start(const at::Tensor& noise, const std::vector<std::uint64_t>& seeds) {
    at::Tensor result = noise;
    for (const auto& part : parts_) result = part->start(result, seeds);
    return result;
}

std::vector<std::size_t> Composite::scout(const Schedule& schedule, std::int64_t candidates) const {
    return selecting_ == nullptr ? std::vector<std::size_t>{} : selecting_->scout(schedule, candidates);
}

Condition Composite::condition(const Condition& condition, const GroupStep& at) {
    Condition result = condition;
    for (const auto& part : parts_) result = part->condition(result, at);
    return result;
}

Condition Composite::unconditional(const Condition& unconditional, const GroupStep& at) {
    Condition result = unconditional;
    for (const auto& part : parts_) result = part->unconditional(result, at);
    return result;
}

double Composite::guidance(double cfg_scale, const GroupStep& at) {
    for (const auto& part : parts_) cfg_scale = part->guidance(cfg_scale, at);
    return cfg_scale;
}

std::optional<at::Tensor> Composite::select(const at::Tensor& clean, const GroupStep& at) {
    return selecting_ == nullptr ? std::nullopt : selecting_->select(clean, at);
}

at::Tensor Composite::steer(const at::Tensor& clean, const GroupStep& at) {
    // Candidates that will be dropped are nobody's neighbours.
    if (clean.size(0) > images_) return clean;
    at::Tensor result = clean;
    for (const auto& part : parts_) result = part->steer(result, at);
    return result;
}

std::optional<Injection> Composite::injection() const {
    for (const auto& part : parts_) {
        if (const std::optional<Injection> own = part->injection()) return own;
    }
    return std::nullopt;
}

std::vector<at::Tensor> Composite::places() const {
    for (const auto& part : parts_) {
        if (std::vector<at::Tensor> own = part->places(); !own.empty()) return own;
    }
    return {};
}

std::optional<std::vector<MethodStep>> Composite::report() const {
    std::vector<MethodStep> steps;
    for (const auto& part : parts_) {
        const auto own = part->report().value_or(std::vector<MethodStep>());
        steps.insert(steps.end(), own.begin(), own.end());
    }
    const auto index = [](const MethodStep& step) {
        return std::visit([](const auto& one) { return one.step; }, step);
    };
    std::ranges::stable_sort(steps, {}, index);
    return steps;
}

}  // namespace gass
