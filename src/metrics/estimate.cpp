#include "metrics/estimate.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

namespace gass {
namespace {

double quantile(const std::vector<double>& sorted, double share) {
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - std::floor(place)) * (sorted[above] - sorted[below]);
}

}  // namespace

Estimate estimate_of(double value, const at::Tensor& contributions) {
    const at::Tensor exact = contributions.detach().to(at::kCPU, at::kDouble);
    return {value, exact - exact.mean()};
}

Estimate mean_estimate(const at::Tensor& values) {
    const at::Tensor exact = values.detach().to(at::kCPU, at::kDouble);
    return estimate_of(exact.mean().item<double>(), exact);
}

Resampler::Resampler(std::int64_t count, std::uint64_t seed)
    : count_(static_cast<std::uint64_t>(count)), engine_(seed) {
    assert(count > 0 && count_ <= std::numeric_limits<std::uint32_t>::max());
}

Interval quantile_interval(std::vector<double> values, double level) {
    assert(!values.empty());
    std::sort(values.begin(), values.end());
    const double outside = (1 - level) / 2;
    return {quantile(values, outside), quantile(values, 1 - outside)};
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
    Resampler resampler(influence.numel(), seed);
    std::vector<double> means;
    means.reserve(static_cast<std::size_t>(resamples));
    for (std::int64_t i = 0; i < resamples; ++i) {
        double sum = 0;
        resampler.draw([&](std::size_t index) { sum += each[index]; });
        means.push_back(sum / static_cast<double>(influence.numel()));
    }
    const Interval change = quantile_interval(std::move(means), level);
    return Interval{estimate.value + change.low, estimate.value + change.high};
}

}  // namespace gass
