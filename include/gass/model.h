#pragma once

#include <gass/error.h>
#include <gass/export.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gass {

/// A part of a model: the denoiser, a text encoder, a tokenizer…
struct ComponentInfo {
    std::string name;              ///< "text_encoder_2"
    std::string class_name;        ///< "CLIPTextModelWithProjection"
    std::uint64_t parameters = 0;  ///< 0 for what has no weights
    std::uint64_t bytes = 0;
};

/// What a model consists of.
struct ModelInfo {
    std::string name;        ///< as it was asked for
    std::string path;        ///< its folder
    std::string class_name;  ///< "StableDiffusion3Pipeline"
    std::vector<ComponentInfo> components;
    std::uint64_t parameters = 0;
    std::uint64_t bytes = 0;
};

/// The names of the embedded models and of those in the Hugging Face cache.
GASS_API std::vector<std::string> model_names();

/// Describes an embedded model, a folder, or "org/name" in the Hugging Face cache. Reads no weights.
/// Throws gass::Error if it is missing or damaged.
GASS_API ModelInfo inspect_model(std::string_view name, std::string_view variant = {});

/// Reads every file and every weight of a model; returns what is wrong with it, nothing if it is sound.
GASS_API std::vector<std::string> check_model(std::string_view name, std::string_view variant = {});

}  // namespace gass
