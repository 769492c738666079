#pragma once

#include "core/json.h"
#include "io/model_folder.h"
#include "io/model_lookup.h"
#include "io/weights.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gass {

enum class ComponentKind { network, tokenizer, scheduler, processor };
std::string_view to_string(ComponentKind kind) noexcept;

/// The class of a tokenizer that `load_wordpiece` reads, ImageReward's for instance; every other is
/// `load_tokenizer`'s.
inline constexpr std::string_view kWordPieceClass = "BertTokenizer";

/// A part of a model: the denoiser, a text encoder, a tokenizer…
struct ModelComponent {
    std::string name;        // "text_encoder_2"
    std::string class_name;  // "CLIPTextModelWithProjection"
    ComponentKind kind = ComponentKind::network;
    ModelFolder folder;
    std::optional<Weights> weights;  // of a network
};

/// What a model's own gass.json says: the "model default" of the settings, and which encoders go with it.
struct ModelDefaults {
    Json settings = Json::object();
    std::string guide;  // the encoder that guidance uses, a model name; empty: none named
    std::string judge;  // the encoder that guidance never sees
    Json dial;          // what `gass calibrate` measured; null: not calibrated
};

/// A model as its folder describes it. Opening reads the small files and the heads of the weights; nothing
/// heavy.
struct Model {
    ModelLocation location;
    ModelFolder folder;
    std::string class_name;  // "StableDiffusion3Pipeline", "CLIPModel"
    std::vector<ModelComponent> components;
    ModelDefaults defaults;

    const ModelComponent* find(std::string_view component) const;
    std::uint64_t parameter_count() const;
    std::uint64_t byte_count() const;
};

/// Opens a model that `find_model` found: a diffusers pipeline (model_index.json) or a single network
/// (config.json). With a variant at least one component must have it.
Model open_model(const ModelLocation& location, std::string_view variant = {});

/// Reads gass.json, if the folder has one; unknown keys and bad values are refused.
ModelDefaults read_model_defaults(const ModelFolder& folder);

}  // namespace gass
