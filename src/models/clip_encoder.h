#pragma once

#include "nn/config.h"
#include "nn/functions.h"
#include "nn/layers.h"
#include "nn/packed_linear.h"
#include "nn/parameters.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace gass {

/// What the two halves of CLIP have in common. The defaults are those of transformers, whose files leave out
/// fields that equal them.
struct ClipEncoderConfig {
    std::int64_t hidden_size = 512;
    std::int64_t intermediate_size = 2048;
    std::int64_t num_hidden_layers = 12;
    std::int64_t num_attention_heads = 8;
    std::int64_t projection_dim = 512;
    nn::Activation hidden_act = nn::Activation::quick_gelu;
    double layer_norm_eps = 1e-5;

    static ClipEncoderConfig read(nn::ConfigReader& reader, const ClipEncoderConfig& defaults);
};

struct ClipAttention {
    nn::PackableLinear q_proj;
    nn::PackableLinear k_proj;
    nn::PackableLinear v_proj;
    nn::PackableLinear out_proj;
    std::int64_t heads = 1;

    ClipAttention(const nn::Parameters& place, const ClipEncoderConfig& config);
    at::Tensor operator()(const at::Tensor& x, const nn::AttentionOptions& options) const;
};

struct ClipLayer {
    nn::LayerNorm layer_norm1;
    ClipAttention self_attn;
    nn::LayerNorm layer_norm2;
    nn::PackableLinear fc1;
    nn::PackableLinear fc2;
    nn::Activation activation;

    ClipLayer(const nn::Parameters& place, const ClipEncoderConfig& config);
    at::Tensor operator()(const at::Tensor& x, const nn::AttentionOptions& options) const;  // [B, T, C]
    void pack();
};

std::vector<ClipLayer> clip_layers(const nn::Parameters& place, const ClipEncoderConfig& config);

/// The place of a half's tensors: published files have `prefix` before each name, files that transformers 5
/// writes for a half without projection have not. `probe` is a tensor that every file has.
nn::Parameters clip_half(const nn::Parameters& place, std::string_view prefix, std::string_view probe);

}  // namespace gass
