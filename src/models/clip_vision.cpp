#include "models/clip_vision.h"

#include "core/fail.h"
#include "nn/config.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace gass {

ClipVisionConfig ClipVisionConfig::from_json(const Json& json, std::string_view where) {
    nn::ConfigReader reader(json, where);
    reader.require("model_type", {"clip_vision_model"});
    ClipVisionConfig config;
    config.encoder = ClipEncoderConfig::read(reader, config.encoder);
    config.image_size = reader.integer("image_size", config.image_size, 1, 16384);
    config.patch_size = reader.integer("patch_size", config.patch_size, 1, config.image_size);
    config.num_channels = reader.integer("num_channels", config.num_channels, 1, 64);
    const std::vector<std::string> classes = reader.texts("architectures", std::vector<std::string>());
    config.has_projection =
        std::find(classes.begin(), classes.end(), "CLIPVisionModelWithProjection") != classes.end();
    nn::ignore_transformers_fields(reader);
    reader.finish();
    return config;
}

ClipVision::ClipVision(const nn::Parameters& place, const ClipVisionConfig& config) : config_(config) {
    const std::int64_t width = config.encoder.hidden_size;
    const double epsilon = config.encoder.layer_norm_eps;
    const std::int64_t side = config.image_size / config.patch_size;
    const nn::Parameters half = clip_half(place, "vision_model", "embeddings.class_embedding");
    const nn::Parameters embeddings = half / "embeddings";
    embeddings.allow("position_ids");  // 0, 1, 2, …; older versions of transformers saved it
    class_embedding_ = embeddings.tensor("class_embedding", {width});
    patch_embedding_ = nn::Conv2d(embeddings / "patch_embedding", config.num_channels, width,
                                  {.kernel = config.patch_size, .stride = config.patch_size, .bias = false});
    position_embedding_ = (embeddings / "position_embedding").tensor("weight", {side * side + 1, width});
    pre_layernorm_ = nn::LayerNorm(half / "pre_layrnorm", width, epsilon);  // spelt so in every file
    layers_ = clip_layers(half / "encoder" / "layers", config.encoder);
    post_layernorm_ = nn::LayerNorm(half / "post_layernorm", width, epsilon);
    if (config.has_projection) {
        visual_projection_.emplace(place / "visual_projection", width, config.encoder.projection_dim, false);
    }
}

ClipVisionOutput ClipVision::operator()(const at::Tensor& pixels) const {
    if (pixels.size(-2) != config_.image_size || pixels.size(-1) != config_.image_size) {
        fail(ErrorCode::usage, "CLIP image encoder", "takes images of {0} x {0}, not {1} x {2}",
             config_.image_size, pixels.size(-2), pixels.size(-1));
    }
    const at::Tensor patches = patch_embedding_(pixels.to(patch_embedding_.weight.scalar_type()))
                                   .flatten(2)
                                   .transpose(1, 2);  // [B, patches, C]
    const at::Tensor class_token = class_embedding_.expand({pixels.size(0), 1, -1});
    at::Tensor x = pre_layernorm_(at::cat({class_token, patches}, 1) + position_embedding_);
    for (const ClipLayer& layer : layers_) x = layer(x, {});

    ClipVisionOutput output;
    output.last_hidden_state = x;
    output.pooled = post_layernorm_(x.select(1, 0));
    if (visual_projection_) output.image_embeds = (*visual_projection_)(output.pooled);
    return output;
}

void ClipVision::pack() {
    for (ClipLayer& layer : layers_) layer.pack();
}

}  // namespace gass
