#include "models/clip.h"

#include "nn/config.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

namespace gass {
namespace {

/// transformers lets "text_config_dict", in files that have one, take the place of "text_config".
Json half_config(const Json& json, const std::string& key) {
    for (const std::string& name : {key + "_dict", key}) {
        const auto found = json.find(name);
        if (found != json.end() && !found->is_null()) return *found;
    }
    return Json::object();
}

}  // namespace

ClipConfig ClipConfig::from_json(const Json& json, std::string_view where) {
    nn::ConfigReader reader(json, where);
    reader.require("model_type", {"clip"});
    ClipConfig config;
    config.text =
        ClipTextConfig::from_json(half_config(json, "text_config"), fmt::format("{}: text_config", where));
    config.vision = ClipVisionConfig::from_json(half_config(json, "vision_config"),
                                                fmt::format("{}: vision_config", where));
    const std::int64_t projection_dim = reader.integer("projection_dim", 512);
    config.text.encoder.projection_dim = projection_dim;
    config.vision.encoder.projection_dim = projection_dim;
    config.text.has_projection = true;
    config.vision.has_projection = true;
    nn::ignore_transformers_fields(reader);
    reader.ignore(
        {"logit_scale_init_value", "text_config", "text_config_dict", "vision_config", "vision_config_dict"});
    reader.finish();
    return config;
}

Clip::Clip(const nn::Parameters& place, const ClipConfig& config)
    : text(place, config.text), vision(place, config.vision), logit_scale(place.tensor("logit_scale", {})) {
}

at::Tensor Clip::logits_per_text(const at::Tensor& text_embeds, const at::Tensor& image_embeds) const {
    const auto normalized = [](const at::Tensor& x) { return x / at::linalg_vector_norm(x, 2, -1, true); };
    return at::matmul(normalized(text_embeds), normalized(image_embeds).t()) * logit_scale.exp();
}

}  // namespace gass
