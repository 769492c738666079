#pragma once

#include "nn/config.h"

#include <array>
#include <cstdint>

namespace gass {

/// How a network wants its pictures: square, and (x − mean) / deviation in each colour of [0, 1].
struct ImageNormalization {
    std::int64_t size = 224;
    std::array<double, 3> mean{0, 0, 0};
    std::array<double, 3> deviation{1, 1, 1};

    /// "image_size", "image_mean" and "image_std" of a config.json; `reader` reads the same object.
    static ImageNormalization from_json(const Json& config, nn::ConfigReader& reader);
};

}  // namespace gass
