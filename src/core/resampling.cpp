#include "core/resampling.h"

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

Interval bootstrap_means(std::span<const double> values, std::int64_t resamples, std::uint64_t seed,
                         double level) {
    Resampler resampler(static_cast<std::int64_t>(values.size()), seed);
    std::vector<double> means;
    means.reserve(static_cast<std::size_t>(resamples));
    for (std::int64_t i = 0; i < resamples; ++i) {
        double sum = 0;
        resampler.draw([&](std::size_t index) { sum += values[index]; });
        means.push_back(sum / static_cast<double>(values.size()));
    }
    return quantile_interval(std::move(means), level);
}

}  // namespace gass
