#pragma once

#include "nn/config.h"
#include "nn/functions.h"
#include "nn/layers.h"
#include "nn/packed_linear.h"
#include "nn/parameters.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gass {

/// The defaults are those of transformers.
struct Dinov2Config {
    std::int64_t hidden_size = 768;
    std::int64_t num_hidden_layers = 12;
    std::int64_t num_attention_heads = 12;
    std::int64_t intermediate_size = 3072;  // from "mlp_ratio"
    nn::Activation hidden_act = nn::Activation::gelu;
    double layer_norm_eps = 1e-6;
    std::int64_t image_size = 224;
    std::int64_t patch_size = 14;
    std::int64_t num_channels = 3;
    bool qkv_bias = true;
    bool use_swiglu_ffn = false;

    static Dinov2Config from_json(const Json& json, std::string_view where);
};

struct Dinov2FeedForward {
    nn::PackableLinear in;   // [hidden → inner], gate and value together for SwiGLU
    nn::PackableLinear out;  // [inner → hidden]
    nn::Activation activation;
    bool is_gated;

    Dinov2FeedForward(const nn::Parameters& place, const Dinov2Config& config);
    at::Tensor operator()(const at::Tensor& x) const;
};

struct Dinov2Layer {
    nn::LayerNorm norm1;
    nn::PackableLinear query;
    nn::PackableLinear key;
    nn::PackableLinear value;
    nn::PackableLinear output;
    at::Tensor layer_scale1;  // [C]
    nn::LayerNorm norm2;
    Dinov2FeedForward mlp;
    at::Tensor layer_scale2;  // [C]
    std::int64_t heads;

    Dinov2Layer(const nn::Parameters& place, const Dinov2Config& config);
    at::Tensor operator()(const at::Tensor& x) const;  // [B, T, C]
    void pack();
};

struct Dinov2Output {
    at::Tensor last_hidden_state;  // [B, 1 + patches, C], after the final norm
    at::Tensor pooled;             // [B, C], its class token
};

/// Dinov2Model.
class Dinov2 {
  public:
    Dinov2(const nn::Parameters& place, const Dinov2Config& config);

    /// Normalised pixels [B, channels, H, W] of any size; what lies beyond the last whole patch is left out.
    Dinov2Output operator()(const at::Tensor& pixels) const;

    /// Lays the weights out for many pictures without gradients, which stay possible but become slower.
    void pack();

    const Dinov2Config& config() const { return config_; }

  private:
    at::Tensor positions(std::int64_t height, std::int64_t width) const;

    Dinov2Config config_;
    at::Tensor cls_token_;            // [1, 1, C]
    at::Tensor position_embeddings_;  // [1, 1 + patches, C]
    nn::Conv2d projection_;
    std::vector<Dinov2Layer> layers_;
    nn::LayerNorm layernorm_;
};

}  // namespace gass
