#pragma once

#include "core/json.h"
#include "io/model_folder.h"
#include "io/resample.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gass {

/// The file that says how a model wants its pictures.
inline constexpr const char* kPreprocessorConfigFile = "preprocessor_config.json";

/// What preprocessor_config.json of a CLIP or a DINOv2 says, with transformers' defaults for what it leaves
/// out, which are OpenAI's.
struct PreprocessorConfig {
    bool resizes = true;
    bool keeps_shape = true;  ///< the shorter side gets the size; otherwise both sides do
    PictureSize size{224, 224};
    Filter filter = Filter::bicubic;
    bool crops = true;  ///< the middle, last
    PictureSize crop{224, 224};
    bool rescales = true;
    double factor = 1.0 / 255;
    bool normalizes = true;
    std::array<double, 3> mean{0.48145466, 0.4578275, 0.40821073};
    std::array<double, 3> deviation{0.26862954, 0.26130258, 0.27577711};

    /// Throws model_invalid for what these processors do not do, or gass does not.
    static PreprocessorConfig from_json(const Json& json, std::string_view where);
};

/// As the model's own file has it; nothing if it has none.
std::optional<PreprocessorConfig> preprocessor_config_of(const ModelFolder& folder);

}  // namespace gass
