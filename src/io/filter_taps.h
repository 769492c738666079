#pragma once

#include "io/resample.h"

#include <cstdint>
#include <span>
#include <vector>

namespace gass {

/// A stretch of a side that is resized.
struct Stretch {
    std::int64_t length = 0;  // of the whole side
    std::int64_t first = 0;
    std::int64_t count = 0;
};

/// What each value of a stretch takes from its source: `count[i]` values from `first[i]` on, by weights that
/// add up to 1.
template <class Weight>
struct FilterTaps {
    std::vector<std::int64_t> first;
    std::vector<std::size_t> start;  // of each value's weights; one more than values
    std::vector<Weight> weights;

    std::size_t size() const { return first.size(); }
    std::span<const Weight> of(std::size_t i) const {
        return std::span(weights).subspan(start[i], start[i + 1] - start[i]);
    }
    /// One past the last source value that the value takes from.
    std::int64_t end(std::size_t i) const { return first[i] + static_cast<std::int64_t>(of(i).size()); }
};

inline std::size_t index(std::int64_t value) {
    return static_cast<std::size_t>(value);
}

/// Since version 13 Pillow resizes the rows first where they shrink by more than twice as many pixels as the
/// columns do; the columns else.
bool resizes_rows_first(const PictureSize& from, const PictureSize& to);

/// Throws model_invalid if so many pixels, which lie between the two passes, are too many to be held.
void check_between(std::int64_t height, std::int64_t width);

/// Pillow's weights for a side of `from` values.
FilterTaps<double> filter_taps(std::int64_t from, const Stretch& to, Filter filter);

/// The same in whole numbers: 1 is 2 to the power kWeightBits.
inline constexpr unsigned kWeightBits = 22;
FilterTaps<std::int32_t> whole_filter_taps(std::int64_t from, const Stretch& to, Filter filter);

}  // namespace gass
