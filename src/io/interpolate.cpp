#include "io/resample.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace gass {
namespace {

/// Where a value comes from: two neighbours and how much of the second.
struct Between {
    std::size_t first;
    std::size_t second;
    float share;
};

/// In floats and with one rounding, as torch does where the processor can.
std::vector<Between> places(std::int64_t from, std::int64_t to) {
    const float scale = static_cast<float>(from) / static_cast<float>(to);
    std::vector<Between> result;
    for (std::int64_t i = 0; i < to; ++i) {
        const float place = std::max(std::fma(scale, static_cast<float>(i) + 0.5F, -0.5F), 0.0F);
        const std::int64_t first = std::min(static_cast<std::int64_t>(place), from - 1);
        const std::int64_t second = std::min(first + 1, from - 1);
        const float share = from == to ? 0.0F : std::clamp(place - static_cast<float>(first), 0.0F, 1.0F);
        result.push_back({static_cast<std::size_t>(first), static_cast<std::size_t>(second), share});
    }
    return result;
}

}  // namespace

std::vector<float> interpolate_bilinear(const Image& image, const PictureSize& size) {
    const std::vector<Between> down = places(image.height, size.height);
    const std::vector<Between> across = places(image.width, size.width);
    const std::size_t plane = down.size() * across.size();
    std::vector<float> result(kColours * plane);
    std::size_t at = 0;
    for (const Between& y : down) {
        const std::uint8_t* upper = image.rgb.data() + y.first * image.width * kColours;
        const std::uint8_t* lower = image.rgb.data() + y.second * image.width * kColours;
        for (const Between& x : across) {
            for (std::size_t c = 0; c < kColours; ++c) {
                const auto mixed = [&](const std::uint8_t* row) {
                    const float left = static_cast<float>(row[x.first * kColours + c]) / 255;
                    const float right = static_cast<float>(row[x.second * kColours + c]) / 255;
                    return (1 - x.share) * left + x.share * right;
                };
                result[c * plane + at] = (1 - y.share) * mixed(upper) + y.share * mixed(lower);
            }
            ++at;
        }
    }
    return result;
}

}  // namespace gass
