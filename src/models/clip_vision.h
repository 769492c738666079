#pragma once

#include "models/clip_encoder.h"

#include <optional>

namespace gass {

struct ClipVisionConfig {
    ClipEncoderConfig encoder{.hidden_size = 768, .intermediate_size = 3072, .num_attention_heads = 12};
    std::int64_t image_size = 224;
    std::int64_t patch_size = 32;
    std::int64_t num_channels = 3;
    bool has_projection = false;  // CLIPVisionModelWithProjection; CLIPVisionModel has none

    static ClipVisionConfig from_json(const Json& json, std::string_view where);
};

struct ClipVisionOutput {
    at::Tensor last_hidden_state;  // [B, 1 + patches, C], without final norm
    at::Tensor pooled;             // [B, C], the class token after the final norm
    at::Tensor image_embeds;       // [B, projection_dim], or undefined without projection
};

/// CLIPVisionModel and CLIPVisionModelWithProjection.
class ClipVision {
  public:
    ClipVision(const nn::Parameters& place, const ClipVisionConfig& config);

    /// Normalised pixels: [B, channels, image_size, image_size].
    ClipVisionOutput operator()(const at::Tensor& pixels) const;

    /// Lays the weights out for many pictures without gradients, which stay possible but become slower.
    void pack();

    const ClipVisionConfig& config() const { return config_; }

  private:
    ClipVisionConfig config_;
    at::Tensor class_embedding_;  // [C]
    nn::Conv2d patch_embedding_;
    at::Tensor position_embedding_;  // [1 + patches, C]
    nn::LayerNorm pre_layernorm_;
    std::vector<ClipLayer> layers_;
    nn::LayerNorm post_layernorm_;
    std::optional<nn::Linear> visual_projection_;
};

}  // namespace gass
