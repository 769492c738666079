#pragma once

#include "models/mmdit_block.h"
#include "nn/config.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace gass {

/// diffusers' SD3Transformer2DModel: the denoiser of Stable Diffusion 3 and 3.5.
struct MmditConfig {
    std::int64_t sample_size = 128;
    std::int64_t patch_size = 2;
    std::int64_t in_channels = 16;
    std::int64_t out_channels = 16;
    std::int64_t num_layers = 18;
    std::int64_t attention_head_dim = 64;
    std::int64_t num_attention_heads = 18;
    std::int64_t joint_attention_dim = 4096;
    std::int64_t pooled_projection_dim = 2048;
    std::int64_t pos_embed_max_size = 96;  // in patches
    std::vector<bool> dual_attention;      // for each layer
    bool qk_norm = false;

    std::int64_t width() const { return attention_head_dim * num_attention_heads; }
    static MmditConfig from_json(const Json& json, std::string_view where);
};

class Mmdit {
  public:
    Mmdit(const nn::Parameters& place, const MmditConfig& config);

    /// Latents [B, in, H, W], time steps [B] (1000 σ), text tokens [B, T, joint_attention_dim] and pooled
    /// text [B, pooled_projection_dim] → velocity [B, out, H, W].
    at::Tensor operator()(const at::Tensor& latents, const at::Tensor& timesteps, const at::Tensor& context,
                          const at::Tensor& pooled) const;

    const MmditConfig& config() const { return config_; }

  private:
    struct ConditionEmbedder {
        nn::Linear first;
        nn::Linear second;

        ConditionEmbedder(const nn::Parameters& place, std::int64_t in, std::int64_t width);
        at::Tensor operator()(const at::Tensor& x) const;
    };

    at::Tensor patchified(const at::Tensor& latents) const;
    at::Tensor positions(std::int64_t rows, std::int64_t columns) const;

    MmditConfig config_;
    nn::Conv2d patch_embedder_;
    at::Tensor position_table_;  // [size, size, width], or undefined if the file has none
    at::Tensor position_waves_;  // [size, width / 2] of one axis, computed if the file has no table
    ConditionEmbedder time_embedder_;
    ConditionEmbedder text_embedder_;
    nn::Linear context_embedder_;
    mmdit::Modulation modulation_;
    std::vector<mmdit::Block> blocks_;
    std::size_t out_vectors_ = 0;
    nn::Linear out_;
};

}  // namespace gass
