#include "features/preprocessing.h"

namespace gass {
namespace {

constexpr std::array<double, 3> kNoMean{0, 0, 0};
constexpr std::array<double, 3> kNoDeviation{1, 1, 1};

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

}  // namespace gass
