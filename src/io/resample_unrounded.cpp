#include "io/filter_taps.h"
#include "io/resample.h"

#include <array>

namespace gass {
namespace {

// Sums are made in doubles, one weight after another, as Pillow does.

/// [height][from][3] → [height][to][3]
template <class Value>
std::vector<float> resize_columns(const std::vector<Value>& pixels, std::int64_t from, std::int64_t to,
                                  Filter filter) {
    if (from == to) return {pixels.begin(), pixels.end()};
    const FilterTaps<double> taps = filter_taps(from, {to, 0, to}, filter);
    const std::size_t length = index(from) * kColours;
    std::vector<float> result;
    result.reserve(pixels.size() / length * index(to) * kColours);
    for (std::size_t row = 0; row < pixels.size(); row += length) {
        for (std::size_t x = 0; x < taps.size(); ++x) {
            const Value* pixel = pixels.data() + row + index(taps.first[x]) * kColours;
            std::array<double, kColours> sums{};
            for (const double weight : taps.of(x)) {
                for (double& sum : sums) sum += weight * static_cast<double>(*pixel++);
            }
            for (const double sum : sums) result.push_back(static_cast<float>(sum));
        }
    }
    return result;
}

/// [from][row] → [to][row]
template <class Value>
std::vector<float> resize_rows(const std::vector<Value>& pixels, std::int64_t from, std::int64_t to,
                               Filter filter) {
    if (from == to) return {pixels.begin(), pixels.end()};
    const FilterTaps<double> taps = filter_taps(from, {to, 0, to}, filter);
    const std::size_t length = pixels.size() / index(from);
    std::vector<float> result;
    result.reserve(index(to) * length);
    std::vector<double> sums(length);
    for (std::size_t y = 0; y < taps.size(); ++y) {
        sums.assign(length, 0);
        const Value* row = pixels.data() + index(taps.first[y]) * length;
        for (const double weight : taps.of(y)) {
            for (std::size_t x = 0; x < length; ++x) sums[x] += weight * static_cast<double>(row[x]);
            row += length;
        }
        for (const double sum : sums) result.push_back(static_cast<float>(sum));
    }
    return result;
}

std::vector<float> resized(const Image& image, const PictureSize& size, Filter filter) {
    if (resizes_rows_first({image.height, image.width}, size)) {
        check_between(size.height, image.width);
        return resize_columns(resize_rows(image.rgb, image.height, size.height, filter), image.width,
                              size.width, filter);
    }
    check_between(image.height, size.width);
    return resize_rows(resize_columns(image.rgb, image.width, size.width, filter), image.height, size.height,
                       filter);
}

}  // namespace

std::vector<float> resize_unrounded(const Image& image, const PictureSize& size, Filter filter) {
    const std::vector<float> pixels = resized(image, size, filter);
    const std::size_t count = pixels.size() / kColours;
    std::vector<float> planes(pixels.size());
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t c = 0; c < kColours; ++c) planes[c * count + i] = pixels[i * kColours + c];
    }
    return planes;
}

}  // namespace gass
