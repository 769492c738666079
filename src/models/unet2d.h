#pragma once

#include "core/json.h"
#include "models/spatial_transformer.h"
#include "nn/functions.h"
#include "nn/layers.h"
#include "nn/parameters.h"
#include "nn/resnet_block.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gass {

struct UNet2dConfig {
    /// One resolution; each level has half the height and width of the one before.
    struct Level {
        std::int64_t channels = 320;
        std::int64_t layers = 2;  // resnets on the way down; one more on the way up
        std::int64_t heads = 8;
        std::int64_t transformer_layers = 1;
        bool down_attention = true;
        bool up_attention = true;
    };

    std::int64_t in_channels = 4;
    std::int64_t out_channels = 4;
    std::vector<Level> levels;
    std::int64_t cross_attention_dim = 1280;
    std::int64_t time_embedding_dim = 1280;
    bool flip_sin_to_cos = true;
    double freq_shift = 0.0;
    std::int64_t downsample_padding = 1;
    double mid_block_scale_factor = 1.0;
    std::int64_t norm_num_groups = 32;
    double norm_eps = 1e-5;
    nn::Activation activation = nn::Activation::silu;
    bool use_linear_projection = false;
    std::optional<std::int64_t> sample_size;  // side of the latents it was made for

    static UNet2dConfig from_json(const Json& config, std::string_view where);
};

/// diffusers' UNet2DConditionModel as Stable Diffusion 1 and 2 use it.
class UNet2d {
  public:
    UNet2d(const nn::Parameters& place, const UNet2dConfig& config);

    /// sample [B, in, H, W], timestep [B] or one for all, context [B, T, cross_attention_dim]
    /// → [B, out, H, W]. Any H and W.
    at::Tensor operator()(const at::Tensor& sample, const at::Tensor& timestep,
                          const at::Tensor& context) const;

    const UNet2dConfig& config() const { return config_; }

  private:
    struct Layer {
        nn::ResnetBlock resnet;
        std::optional<SpatialTransformer> attention;
    };
    struct DownBlock {
        std::vector<Layer> layers;
        std::optional<nn::Downsample> downsample;
    };
    struct UpBlock {
        std::vector<Layer> layers;
        std::optional<nn::Upsample> upsample;
    };

    at::Tensor time_embedding(const at::Tensor& timestep, const at::Tensor& sample) const;

    UNet2dConfig config_;
    nn::Conv2d conv_in_;
    nn::Linear time_linear_1_, time_linear_2_;
    std::vector<DownBlock> down_;
    std::vector<Layer> mid_;
    std::vector<UpBlock> up_;
    nn::GroupNorm norm_out_;
    nn::Conv2d conv_out_;
};

}  // namespace gass
