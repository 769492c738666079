#include "sheet/resize.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>

namespace gass {
namespace {

/// The pixels of one side that a pixel of the smaller side covers, the first and the last of them in part.
struct Covered {
    std::size_t first = 0;
    std::vector<float> shares;  // their sum is 1
};

std::vector<Covered> covered(std::uint32_t from, std::uint32_t to) {
    std::vector<Covered> all(to);
    for (std::size_t i = 0; i < to; ++i) {
        const double begin = static_cast<double>(i) * from / to;
        const double end = static_cast<double>(i + 1) * from / to;
        all[i].first = static_cast<std::size_t>(begin);
        for (std::size_t source = all[i].first; source < from && static_cast<double>(source) < end;
             ++source) {
            const double overlap =
                std::min(end, static_cast<double>(source + 1)) - std::max(begin, static_cast<double>(source));
            all[i].shares.push_back(static_cast<float>(overlap * to / from));
        }
    }
    return all;
}

}  // namespace

Image enlarged(const Image& image, std::uint32_t factor) {
    Image out{image.width * factor, image.height * factor, {}};
    out.rgb.reserve(image.rgb.size() * factor * factor);
    const std::size_t stride = std::size_t{image.width} * 3;
    for (std::size_t y = 0; y < image.height; ++y) {
        const std::uint8_t* row = image.rgb.data() + y * stride;
        for (std::uint32_t repeat = 0; repeat < factor; ++repeat) {
            for (std::size_t x = 0; x < stride; x += 3) {
                for (std::uint32_t i = 0; i < factor; ++i)
                    out.rgb.insert(out.rgb.end(), row + x, row + x + 3);
            }
        }
    }
    return out;
}

Image reduced(const Image& image, std::uint32_t width, std::uint32_t height) {
    assert(width > 0 && width <= image.width && height > 0 && height <= image.height);
    const std::vector<Covered> columns = covered(image.width, width);
    const std::vector<Covered> rows = covered(image.height, height);
    Image out{width, height, {}};
    out.rgb.reserve(std::size_t{width} * height * 3);
    std::vector<float> mean(std::size_t{image.width} * 3);
    for (const Covered& row : rows) {
        std::fill(mean.begin(), mean.end(), 0.0F);
        for (std::size_t i = 0; i < row.shares.size(); ++i) {
            const std::uint8_t* source = image.rgb.data() + (row.first + i) * mean.size();
            for (std::size_t k = 0; k < mean.size(); ++k)
                mean[k] += row.shares[i] * static_cast<float>(source[k]);
        }
        for (const Covered& column : columns) {
            for (std::size_t channel = 0; channel < 3; ++channel) {
                float value = 0;
                for (std::size_t i = 0; i < column.shares.size(); ++i)
                    value += column.shares[i] * mean[(column.first + i) * 3 + channel];
                out.rgb.push_back(static_cast<std::uint8_t>(std::clamp(std::lround(value), 0L, 255L)));
            }
        }
    }
    return out;
}

Image fitted(const Image& image, std::uint32_t side) {
    const std::uint32_t longer = std::max(image.width, image.height);
    const auto scaled = [&](std::uint32_t length) {
        return std::max<std::uint32_t>(
            1, static_cast<std::uint32_t>(std::lround(static_cast<double>(length) * side / longer)));
    };
    // Small ones grow by a whole factor first, since reducing cannot enlarge.
    const std::uint32_t factor = (side + longer - 1) / longer;
    if (factor > 1) return reduced(enlarged(image, factor), scaled(image.width), scaled(image.height));
    return reduced(image, scaled(image.width), scaled(image.height));
}

Image at_most(const Image& image, std::uint32_t side) {
    return std::max(image.width, image.height) > side ? fitted(image, side) : image;
}

}  // namespace gass
