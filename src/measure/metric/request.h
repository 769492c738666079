#pragma once

#include <gass/measure.h>

#include <cstdint>

namespace gass {

/// From the least to the largest whole number that a member of a request may be.
struct AllowedRange {
    std::int64_t least;
    std::int64_t most;
};
inline constexpr AllowedRange kAllowedNeighbours{1, 1'000'000};
inline constexpr AllowedRange kAllowedDraws{1, 10'000};
inline constexpr AllowedRange kAllowedMetricSeeds{0, 0xFFFF'FFFF};  // PyTorch's generators look at 32 bits
inline constexpr AllowedRange kAllowedKidSubsets{1, 10'000};
inline constexpr AllowedRange kAllowedKidSubsetSizes{2, 10'000};
inline constexpr AllowedRange kAllowedInceptionSplits{1, 10'000};
inline constexpr AllowedRange kAllowedResamples{0, 1'000'000};
inline constexpr AllowedRange kAllowedSides{0, 4096};  // of --resize-first; 0: off

/// What can be said of a request before anything is opened. Throws usage.
void check_request(const MeasureRequest& request);
void check_request(const FeaturesRequest& request);

}  // namespace gass
