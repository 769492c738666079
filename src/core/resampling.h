#pragma once

#include <gass/interval.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace gass {

/// Draws indices with replacement, the same for a seed on every machine.
class Resampler {
  public:
    /// Of `count` things, 1 to 2^32 − 1.
    Resampler(std::int64_t count, std::uint64_t seed);

    /// Calls `use(index)` `count` times: one resampled set.
    template <class Use>
    void draw(Use use) {
        for (std::uint64_t left = count_; left > 0;) {
            const std::uint64_t bits = engine_();
            use(index_of(bits >> 32U));
            if (--left == 0) break;
            use(index_of(bits & 0xffffffffU));
            --left;
        }
    }

  private:
    /// Not std::uniform_int_distribution, whose draws differ between standard libraries.
    std::size_t index_of(std::uint64_t half) const {
        return static_cast<std::size_t>((half * count_) >> 32U);
    }

    std::uint64_t count_;
    std::mt19937_64 engine_;
};

/// What lies between the outer quantiles that leave `level` inside, interpolated as numpy does. At least one
/// value.
Interval quantile_interval(std::vector<double> values, double level);

/// The quantile interval of the means of as many values, drawn with replacement. At least one value, and one
/// resample.
Interval bootstrap_means(std::span<const double> values, std::int64_t resamples = 1000,
                         std::uint64_t seed = 0, double level = 0.95);

}  // namespace gass
