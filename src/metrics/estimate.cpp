#include "metrics/estimate.h"

#include <ATen/ATen.h>

#include <cassert>

namespace gass {

Estimate estimate_of(double value, const at::Tensor& contributions) {
    const at::Tensor exact = contributions.detach().to(at::kCPU, at::kDouble);
    return {value, exact - exact.mean()};
}

Estimate mean_estimate(const at::Tensor& values) {
    const at::Tensor exact = values.detach().to(at::kCPU, at::kDouble);
    return estimate_of(exact.mean().item<double>(), exact);
}

std::optional<Interval> bootstrap_interval(const Estimate& estimate, std::int64_t resamples,
                                           std::uint64_t seed, double level) {
    assert(resamples >= 0);
    if (resamples == 0 || !estimate.influence.defined() ||
        estimate.influence.numel() < kLeastImagesForInterval) {
        return std::nullopt;
    }
    const at::Tensor influence = estimate.influence.to(at::kCPU, at::kDouble).contiguous();
    const auto* each = influence.const_data_ptr<double>();
    const Interval change =
        bootstrap_means({each, static_cast<std::size_t>(influence.numel())}, resamples, seed, level);
    return Interval{estimate.value + change.low, estimate.value + change.high};
}

}  // namespace gass
