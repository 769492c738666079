#include "io/resample.h"

#include "core/fail.h"
#include "io/filter_taps.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstring>

// Compiled once more for processors with wider vectors; the loader picks. Not under sanitizers, whose own
// start comes later than the picking.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && !defined(__clang__)
#define GASS_WIDE_TOO __attribute__((target_clones("avx2", "default")))
#else
#define GASS_WIDE_TOO
#endif

namespace gass {
namespace {

constexpr std::size_t kTile = 16;                 // rows that the horizontal pass takes at a time
constexpr std::size_t kLanes = kColours * kTile;  // values that are filtered side by side

std::size_t rounded_up(std::size_t value, std::size_t step) {
    return (value + step - 1) / step * step;
}

/// Rows of bytes, each padded to a multiple of kLanes; a multiple of kTile of them.
struct Rows {
    std::size_t stride;
    std::vector<std::uint8_t> bytes;

    Rows(std::size_t height, std::size_t width)
        : stride(rounded_up(width * kColours, kLanes)), bytes(rounded_up(height, kTile) * stride) {}
    std::uint8_t* row(std::size_t i) { return bytes.data() + i * stride; }
    const std::uint8_t* row(std::size_t i) const { return bytes.data() + i * stride; }
};

/// `result[lane] = Σ weights[t] · source[t · stride + lane]`, rounded and kept within 0…255.
GASS_WIDE_TOO
void filter_lanes(const std::uint8_t* source, std::size_t stride, const std::int32_t* weights,
                  std::size_t count, std::uint8_t* result) {
    std::array<std::uint32_t, kLanes> sums;
    sums.fill(1U << (kWeightBits - 1));
    for (std::size_t t = 0; t < count; ++t) {
        const auto weight = static_cast<std::uint32_t>(weights[t]);
        const std::uint8_t* values = source + t * stride;
        for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += weight * values[lane];
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::int32_t level = static_cast<std::int32_t>(sums[lane]) >> kWeightBits;
        result[lane] = static_cast<std::uint8_t>(std::clamp(level, 0, 255));
    }
}

using Vector = std::uint8_t __attribute__((vector_size(kTile)));
using Square = std::array<Vector, kTile>;

/// A square of bytes, mirrored at its diagonal: four perfect shuffles.
Square transposed(Square square) {
    for (int round = 0; round < 4; ++round) {
        Square next;
        for (std::size_t i = 0; i < kTile / 2; ++i) {
            const Vector upper = square[i];
            const Vector lower = square[i + kTile / 2];
            next[2 * i] =
                __builtin_shufflevector(upper, lower, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
            next[2 * i + 1] = __builtin_shufflevector(upper, lower, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13,
                                                      29, 14, 30, 15, 31);
        }
        square = next;
    }
    return square;
}

/// Bytes `first` to `end` of kTile rows, turned: [byte][row]. `result` has room for a whole last square.
void turn(const std::array<const std::uint8_t*, kTile>& rows, std::size_t first, std::size_t end,
          std::uint8_t* result) {
    for (std::size_t at = first; at < end; at += kTile) {
        Square square{};
        for (std::size_t i = 0; i < kTile; ++i)
            std::memcpy(&square[i], rows[i] + at, std::min(kTile, end - at));
        square = transposed(square);
        std::memcpy(result + (at - first) * kTile, square.data(), sizeof square);
    }
}

/// The inverse: `count` bytes, rounded up to kTile, of kTile rows.
void turn_back(const std::uint8_t* turned, std::size_t count, std::uint8_t* rows, std::size_t stride) {
    for (std::size_t at = 0; at < count; at += kTile) {
        Square square;
        std::memcpy(square.data(), turned + at * kTile, sizeof square);
        square = transposed(square);
        for (std::size_t i = 0; i < kTile; ++i) std::memcpy(rows + i * stride + at, &square[i], kTile);
    }
}

/// Rows that lie somewhere: a picture's, or padded ones.
struct RowSource {
    const std::uint8_t* bytes;
    std::size_t stride;
    std::int64_t height;
    std::int64_t top = 0;   // the row that `bytes` begins with
    std::int64_t left = 0;  // the column likewise

    const std::uint8_t* row(std::int64_t y) const { return bytes + index(y - top) * stride; }
};

/// Every row resized to the columns of `taps`. Rows are turned, so that one weight meets a vector of pixels,
/// in blocks of columns that fit the cache.
Rows resize_columns(const RowSource& source, const FilterTaps<std::int32_t>& taps) {
    constexpr std::int64_t kBlock = 640;  // source columns
    Rows result(index(source.height), taps.size());
    std::vector<std::uint8_t> turned;
    std::vector<std::uint8_t> target(rounded_up(taps.size() * kColours, kTile) * kTile);
    for (std::int64_t top = 0; top < source.height; top += kTile) {
        std::array<const std::uint8_t*, kTile> rows{};
        for (std::size_t i = 0; i < kTile; ++i) {
            const std::int64_t y = top + static_cast<std::int64_t>(i);
            rows[i] = source.row(source.top + std::min(y, source.height - 1));
        }
        for (std::size_t i = 0; i < taps.size();) {
            const std::int64_t left = taps.first[i];
            std::size_t next = i + 1;
            while (next < taps.size() && taps.end(next) - left <= kBlock) ++next;
            const std::size_t first = index(left - source.left) * kColours;
            const std::size_t count = index(taps.end(next - 1) - left) * kColours;
            turned.resize(std::max(turned.size(), rounded_up(count, kTile) * kTile));
            turn(rows, first, first + count, turned.data());
            for (; i < next; ++i) {
                filter_lanes(turned.data() + index(taps.first[i] - left) * kLanes, kLanes, taps.of(i).data(),
                             taps.of(i).size(), target.data() + i * kLanes);
            }
        }
        turn_back(target.data(), taps.size() * kColours, result.row(index(top)), result.stride);
    }
    return result;
}

/// The first `width` columns of every row, resized to the rows of `taps`.
Rows resize_rows(const RowSource& source, std::int64_t width, const FilterTaps<std::int32_t>& taps) {
    Rows result(taps.size(), index(width));
    const std::size_t length = index(width) * kColours;
    const std::size_t whole = length / kLanes * kLanes;
    const auto filter = [&](std::size_t y, const std::uint8_t* bytes, std::size_t stride, std::size_t at) {
        filter_lanes(bytes + index(taps.first[y] - source.top) * stride, stride, taps.of(y).data(),
                     taps.of(y).size(), result.row(y) + at);
    };
    for (std::size_t y = 0; y < taps.size(); ++y) {
        for (std::size_t at = 0; at < whole; at += kLanes) filter(y, source.bytes + at, source.stride, at);
    }
    if (whole == length) return result;
    // The last columns are fewer than lanes: they are copied to where there is room behind them.
    std::vector<std::uint8_t> strip(index(source.height) * kLanes);
    for (std::size_t y = 0; y < index(source.height); ++y)
        std::copy_n(source.bytes + y * source.stride + whole, length - whole, strip.data() + y * kLanes);
    for (std::size_t y = 0; y < taps.size(); ++y) filter(y, strip.data(), kLanes, whole);
    return result;
}

/// A part of the picture.
RowSource part_of(const Image& image, std::int64_t top, std::int64_t left, std::int64_t height) {
    const std::size_t stride = image.width * kColours;
    return {image.rgb.data() + index(top) * stride + index(left) * kColours, stride, height, top, left};
}

Image finished(const std::uint8_t* bytes, std::size_t stride, const Window& window) {
    const std::size_t length = index(window.width) * kColours;
    Image result{static_cast<std::uint32_t>(window.width), static_cast<std::uint32_t>(window.height),
                 std::vector<std::uint8_t>(index(window.height) * length)};
    for (std::size_t y = 0; y < index(window.height); ++y)
        std::copy_n(bytes + y * stride, length, result.rgb.data() + y * length);
    return result;
}

// --- without rounding to levels

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

// --- torch's, without antialiasing

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

std::string_view to_string(Filter filter) noexcept {
    return filter == Filter::bilinear ? "bilinear" : filter == Filter::bicubic ? "bicubic" : "lanczos";
}

void check_between(std::int64_t height, std::int64_t width) {
    constexpr std::int64_t kMostPixels = std::int64_t{128} << 20U;
    if (height > kMostPixels / width) {
        fail(ErrorCode::model_invalid, "resize",
             "the picture would have {}×{} pixels on the way to its new size, which is too much", width,
             height);
    }
}

bool resizes_rows_first(const PictureSize& from, const PictureSize& to) {
    return to.height < from.height && from.height - to.height > 2 * (from.width - to.width);
}

Image resize(const Image& image, const PictureSize& size, Filter filter, const Window& window) {
    assert(window.left >= 0 && window.top >= 0 && window.width > 0 && window.height > 0);
    assert(window.left + window.width <= size.width && window.top + window.height <= size.height);
    const bool down = size.height != image.height;
    const bool across = size.width != image.width;
    FilterTaps<std::int32_t> rows;
    FilterTaps<std::int32_t> columns;
    std::int64_t top = window.top;
    std::int64_t left = window.left;
    std::int64_t height = window.height;  // of the part of the picture that counts
    std::int64_t width = window.width;
    if (down) {
        rows = whole_filter_taps(image.height, {size.height, window.top, window.height}, filter);
        top = rows.first.front();
        height = rows.end(rows.size() - 1) - top;
    }
    if (across) {
        columns = whole_filter_taps(image.width, {size.width, window.left, window.width}, filter);
        left = columns.first.front();
        width = columns.end(columns.size() - 1) - left;
    }
    const RowSource source = part_of(image, top, left, height);
    if (!down && !across) return finished(source.bytes, source.stride, window);
    const auto source_of = [](const Rows& between, std::int64_t count) {
        return RowSource{between.row(0), between.stride, count};
    };
    if (down && (!across || resizes_rows_first({image.height, image.width}, size))) {
        check_between(window.height, width);
        const Rows resized = resize_rows(source, width, rows);
        if (!across) return finished(resized.row(0), resized.stride, window);
        RowSource between = source_of(resized, window.height);
        between.left = left;
        const Rows both = resize_columns(between, columns);
        return finished(both.row(0), both.stride, window);
    }
    check_between(height, window.width);
    const Rows resized = resize_columns(source, columns);
    if (!down) return finished(resized.row(0), resized.stride, window);
    RowSource between = source_of(resized, height);
    between.top = top;
    const Rows both = resize_rows(between, window.width, rows);
    return finished(both.row(0), both.stride, window);
}

Image resize(const Image& image, const PictureSize& size, Filter filter) {
    if (size == PictureSize{image.height, image.width}) return image;
    return resize(image, size, filter, {0, 0, size.width, size.height});
}

std::vector<float> resize_unrounded(const Image& image, const PictureSize& size, Filter filter) {
    const std::vector<float> pixels = resized(image, size, filter);
    const std::size_t count = pixels.size() / kColours;
    std::vector<float> planes(pixels.size());
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t c = 0; c < kColours; ++c) planes[c * count + i] = pixels[i * kColours + c];
    }
    return planes;
}

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
