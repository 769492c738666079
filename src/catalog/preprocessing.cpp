#include "catalog/preprocessing.h"

#include "core/fail.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

namespace gass {
namespace {

constexpr std::array<double, 3> kNoMean{0, 0, 0};
constexpr std::array<double, 3> kNoDeviation{1, 1, 1};

/// Pictures of any shape are taken up to this many pixels.
constexpr std::int64_t kMostPixels = std::int64_t{4} << 20U;

PictureSize size_of(const Image& image) {
    return {image.height, image.width};
}

PictureSize scaled_size(const Preprocessing& steps, const PictureSize& given) {
    if (steps.scaling == Scaling::none) return given;
    if (steps.scaling != Scaling::shortest_edge) return steps.size;
    const std::int64_t shorter = std::min(given.height, given.width);
    const auto side = [&](std::int64_t length) { return steps.size.height * length / shorter; };
    return {side(given.height), side(given.width)};
}

/// Where a crop begins on a side; below 0 if the side is too short.
std::int64_t crop_start(Middle middle, std::int64_t side, std::int64_t crop) {
    const std::int64_t rest = side - crop;
    if (rest % 2 == 0) return rest / 2;
    const std::int64_t half = (rest - 1) / 2;  // rounded down, since `rest` is odd here
    if (middle == Middle::transformers) return half;
    if (rest < 0) return half + 1;
    return half % 2 == 0 ? half : half + 1;  // to even, as Python's round does
}

/// The part of a side that a crop shows, and where it stands in the crop.
struct Shown {
    std::int64_t first;
    std::int64_t count;
    std::int64_t offset;
};

Shown shown_part(Middle middle, std::int64_t side, std::int64_t crop) {
    const std::int64_t start = crop_start(middle, side, crop);
    const std::int64_t first = std::max<std::int64_t>(start, 0);
    return {first, std::min(side, start + crop) - first, first - start};
}

/// `picture` at its place in a black one.
Image bordered(const Image& picture, const PictureSize& size, std::int64_t top, std::int64_t left) {
    const auto width = static_cast<std::size_t>(size.width);
    Image result{static_cast<std::uint32_t>(size.width), static_cast<std::uint32_t>(size.height),
                 std::vector<std::uint8_t>(static_cast<std::size_t>(size.height) * width * kColours)};
    for (std::size_t y = 0; y < picture.height; ++y) {
        const std::size_t target =
            (static_cast<std::size_t>(top) + y) * width + static_cast<std::size_t>(left);
        std::copy_n(picture.rgb.data() + y * picture.width * kColours, picture.width * kColours,
                    result.rgb.data() + target * kColours);
    }
    return result;
}

/// The picture in its new size, in whole levels.
Image levels(const Preprocessing& steps, const Image& image) {
    const PictureSize size = scaled_size(steps, size_of(image));
    const PictureSize kept = steps.crop.value_or(size);
    if (kept.height > kMostPixels / kept.width) {
        fail(ErrorCode::model_invalid, "picture",
             "its shape of {}×{} would make {}×{} pixels for the network, which is too much", image.width,
             image.height, kept.width, kept.height);
    }
    const Shown down = shown_part(steps.middle, size.height, kept.height);
    const Shown across = shown_part(steps.middle, size.width, kept.width);
    Image shown = resize(image, size, steps.filter, {across.first, down.first, across.count, down.count});
    if (size_of(shown) == kept) return shown;
    return bordered(shown, kept, down.offset, across.offset);
}

std::string pair(const PictureSize& size) {
    return fmt::format("{}x{}", size.height, size.width);
}

}  // namespace

Preprocessing Preprocessing::from(const PreprocessorConfig& config) {
    Preprocessing result;
    if (!config.resizes) {
        result.scaling = Scaling::none;
    } else if (!config.keeps_shape) {
        result.scaling = Scaling::exact;
    }
    result.filter = config.filter;
    result.size = config.size;
    result.crop = config.crops ? std::optional(config.crop) : std::nullopt;
    result.factor = config.rescales ? config.factor : 1;
    result.mean = config.normalizes ? config.mean : kNoMean;
    result.deviation = config.normalizes ? config.deviation : kNoDeviation;
    return result;
}

Preprocessing Preprocessing::clip(std::int64_t side) {
    return {.size = {side, side}, .crop = PictureSize{side, side}};
}

Preprocessing Preprocessing::dinov2() {
    return {.size = {256, 256}, .mean = {0.485, 0.456, 0.406}, .deviation = {0.229, 0.224, 0.225}};
}

Preprocessing Preprocessing::sscd(std::int64_t side, const std::array<double, 3>& mean,
                                  const std::array<double, 3>& deviation) {
    return {.filter = Filter::bilinear,
            .size = {side, side},
            .crop = std::nullopt,
            .mean = mean,
            .deviation = deviation};
}

Preprocessing Preprocessing::inception() {
    return {.filter = Filter::bilinear,
            .size = {299, 299},
            .crop = PictureSize{299, 299},
            .middle = Middle::torchvision,
            .mean = kNoMean,
            .deviation = kNoDeviation};
}

Preprocessing Preprocessing::inception_fid(bool clean) {
    if (clean) {
        return {.scaling = Scaling::clean,
                .size = {299, 299},
                .crop = std::nullopt,
                .factor = 1,
                .mean = {128, 128, 128},
                .deviation = {128, 128, 128}};
    }
    return {.scaling = Scaling::interpolated,
            .size = {299, 299},
            .crop = std::nullopt,
            .mean = {0.5, 0.5, 0.5},
            .deviation = {0.5, 0.5, 0.5}};
}

Preprocessing Preprocessing::lpips(std::int64_t side) {
    return {.scaling = Scaling::exact,
            .filter = Filter::bilinear,
            .size = {side, side},
            .crop = std::nullopt,
            .mean = {0.5, 0.5, 0.5},
            .deviation = {0.5, 0.5, 0.5}};
}

Preprocessing Preprocessing::image_reward(std::int64_t side, const std::array<double, 3>& mean,
                                          const std::array<double, 3>& deviation) {
    return {.size = {side, side},
            .crop = PictureSize{side, side},
            .middle = Middle::torchvision,
            .mean = mean,
            .deviation = deviation};
}

Preprocessing Preprocessing::pixels() {
    return {.scaling = Scaling::exact,
            .size = {32, 32},
            .crop = std::nullopt,
            .factor = 1,
            .mean = kNoMean,
            .deviation = kNoDeviation};
}

std::optional<PictureSize> Preprocessing::result_size() const {
    if (crop) return crop;
    if (scaling == Scaling::none && lanczos_first > 0) return PictureSize{lanczos_first, lanczos_first};
    if (scaling == Scaling::shortest_edge && lanczos_first > 0) return size;
    if (scaling == Scaling::none || scaling == Scaling::shortest_edge) return std::nullopt;
    return size;
}

Pixels Preprocessing::operator()(const Image& image) const {
    if (image.width == 0 || image.height == 0)
        fail(ErrorCode::model_invalid, "picture", "it has no pixels: {}×{}", image.width, image.height);
    if (lanczos_first > 0 && size_of(image) != PictureSize{lanczos_first, lanczos_first}) {
        Preprocessing rest = *this;
        rest.lanczos_first = 0;
        return rest(resize(image, {lanczos_first, lanczos_first}, Filter::lanczos));
    }
    const auto normalized = [&](float value, std::size_t c) {
        return (value - static_cast<float>(mean.at(c))) / static_cast<float>(deviation.at(c));
    };
    if (scaling == Scaling::clean || scaling == Scaling::interpolated) {
        const bool clean = scaling == Scaling::clean;
        Pixels result{size.height, size.width,
                      clean ? resize_unrounded(image, size, filter) : interpolate_bilinear(image, size)};
        const std::size_t plane = result.values.size() / kColours;
        for (std::size_t c = 0; c < kColours; ++c) {
            for (float& value : std::span(result.values).subspan(c * plane, plane))
                value = normalized(clean ? std::clamp(value, 0.0F, 255.0F) : value, c);
        }
        return result;
    }
    const Image whole = levels(*this, image);
    const std::size_t plane = std::size_t{whole.width} * whole.height;
    Pixels result{whole.height, whole.width, std::vector<float>(kColours * plane)};
    for (std::size_t c = 0; c < kColours; ++c) {
        std::array<float, 256> values{};
        for (std::size_t level = 0; level < values.size(); ++level)
            values.at(level) = normalized(static_cast<float>(static_cast<double>(level) * factor), c);
        for (std::size_t i = 0; i < plane; ++i)
            result.values[c * plane + i] = values[whole.rgb[i * kColours + c]];
    }
    return result;
}

std::string Preprocessing::description() const {
    std::vector<std::string> steps;
    if (lanczos_first > 0) steps.push_back(fmt::format("lanczos {0}x{0}", lanczos_first));
    switch (scaling) {
        case Scaling::none:
            break;
        case Scaling::shortest_edge:
            steps.push_back(fmt::format("shortest edge {} {}", size.height, to_string(filter)));
            break;
        case Scaling::exact:
            steps.push_back(fmt::format("{} {}", to_string(filter), pair(size)));
            break;
        case Scaling::clean:
            steps.push_back(fmt::format("clean {} {} in floats", to_string(filter), pair(size)));
            break;
        case Scaling::interpolated:
            steps.push_back(fmt::format("bilinear {} without antialiasing", pair(size)));
            break;
    }
    if (crop) {
        const bool torchvision = middle == Middle::torchvision;
        steps.push_back(fmt::format("centre {}{}", pair(*crop), torchvision ? " as torchvision" : ""));
    }
    steps.push_back(factor == 1.0 / 255 ? "times 1/255" : fmt::format("times {}", factor));
    steps.push_back(fmt::format("mean {} std {}", fmt::join(mean, " "), fmt::join(deviation, " ")));
    return fmt::format("{}", fmt::join(steps, "; "));
}

}  // namespace gass
