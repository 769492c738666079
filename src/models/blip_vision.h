#pragma once

#include "nn/config.h"
#include "nn/layers.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace gass {

/// BLIP's image encoder, a ViT with timm's names.
struct BlipVisionConfig {
    std::int64_t hidden_size = 1024;
    std::int64_t intermediate_size = 4096;
    std::int64_t num_layers = 24;
    std::int64_t num_heads = 16;
    std::int64_t image_size = 224;
    std::int64_t patch_size = 16;
    double layer_norm_eps = 1e-6;

    /// The tokens of a picture: its patches and one for the whole.
    std::int64_t tokens() const {
        const std::int64_t side = image_size / patch_size;
        return side * side + 1;
    }
    static BlipVisionConfig from_json(const Json& json, std::string_view where);
};

class BlipVision {
  public:
    BlipVision(const nn::Parameters& place, const BlipVisionConfig& config);

    /// [B, 3, size, size] → [B, tokens, hidden]
    at::Tensor operator()(const at::Tensor& pixels) const;

  private:
    struct Block {
        std::int64_t heads;
        nn::LayerNorm norm1;
        nn::Linear qkv;
        nn::Linear proj;
        nn::LayerNorm norm2;
        nn::Linear fc1;
        nn::Linear fc2;

        Block(const nn::Parameters& place, const BlipVisionConfig& config);
        at::Tensor operator()(const at::Tensor& x) const;
    };

    std::int64_t image_size_;
    nn::Conv2d patch_embed_;
    at::Tensor cls_token_;  // [1, 1, hidden]
    at::Tensor pos_embed_;  // [1, tokens, hidden]
    std::vector<Block> blocks_;
    nn::LayerNorm norm_;
};

}  // namespace gass
