#pragma once

#include "io/image.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace gass {

inline constexpr std::size_t kColours = 3;  // of a pixel

/// Pillow's filters that widen when they shrink a picture.
enum class Filter { bilinear, bicubic, lanczos };
std::string_view to_string(Filter filter) noexcept;

struct PictureSize {
    std::int64_t height = 0;
    std::int64_t width = 0;

    bool operator==(const PictureSize&) const = default;
};

/// A part of a picture.
struct Window {
    std::int64_t left = 0;
    std::int64_t top = 0;
    std::int64_t width = 0;
    std::int64_t height = 0;
};

/// The `Image.resize` of Pillow 13 of an RGB picture, bit for bit: columns and rows one after the other, with
/// weights of 22 bits and whole levels between; a side that keeps its length is left alone. Only `window` of
/// the result, which must lie inside it, is computed and takes memory. Throws model_invalid for a picture so
/// long or high that it would fill the memory on the way; Pillow refuses those too.
Image resize(const Image& image, const PictureSize& size, Filter filter, const Window& window);
/// The whole result.
Image resize(const Image& image, const PictureSize& size, Filter filter);

/// Pillow's `Image.resize` of each colour as a picture of floats (mode "F"): nothing is rounded to whole
/// levels or kept within them. [3][height][width], from 0 to 255 but for the overshoot of the filter.
std::vector<float> resize_unrounded(const Image& image, const PictureSize& size, Filter filter);

/// torch's `interpolate(mode="bilinear", align_corners=False)` of a picture in 0…1, without antialiasing:
/// each value from four neighbours, however much the picture shrinks. [3][height][width].
std::vector<float> interpolate_bilinear(const Image& image, const PictureSize& size);

}  // namespace gass
