#pragma once

#include "core/json.h"
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

struct AutoencoderKlConfig {
    std::int64_t in_channels = 3;
    std::int64_t out_channels = 3;
    std::int64_t latent_channels = 4;
    std::vector<std::int64_t> block_out_channels = {64};
    std::int64_t layers_per_block = 1;
    std::int64_t norm_num_groups = 32;
    nn::Activation activation = nn::Activation::silu;
    bool use_quant_conv = true;
    bool use_post_quant_conv = true;
    bool mid_block_add_attention = true;
    double scaling_factor = 0.18215;
    double shift_factor = 0.0;
    bool force_upcast = true;       // the weights' owner says that fp16 overflows
    std::int64_t sample_size = 32;  // pixels of the images it was made for

    static AutoencoderKlConfig from_json(const Json& config, std::string_view where);
    /// Pixels along a latent's side.
    std::int64_t downscale() const { return std::int64_t{1} << (block_out_channels.size() - 1); }
};

/// diffusers' AutoencoderKL. Images are −1..1.
class AutoencoderKl {
  public:
    struct Posterior {
        at::Tensor mean;    // [B, latent, H/f, W/f]
        at::Tensor logvar;  // −30..20
    };

    AutoencoderKl(const nn::Parameters& place, const AutoencoderKlConfig& config);

    Posterior encode(const at::Tensor& images) const;  // [B, 3, H, W]
    at::Tensor decode(const at::Tensor& codes) const;  // [B, latent, h, w] → [B, 3, h·f, w·f]
    /// From the autoencoder's own range to the one a denoiser works in, and back to an image.
    at::Tensor latents_from(const at::Tensor& codes) const;
    at::Tensor decode_latents(const at::Tensor& latents) const;

    const AutoencoderKlConfig& config() const { return config_; }

  private:
    struct MidAttention {
        nn::GroupNorm norm;
        nn::Linear query, key, value, out;

        MidAttention(const nn::Parameters& place, std::int64_t channels, std::int64_t groups);
        at::Tensor operator()(const at::Tensor& x) const;
    };

    struct MidBlock {
        nn::ResnetBlock before;
        std::optional<MidAttention> attention;
        nn::ResnetBlock after;

        MidBlock(const nn::Parameters& place, const AutoencoderKlConfig& config);
        at::Tensor operator()(const at::Tensor& x) const;
    };

    struct Encoder {
        struct Block {
            std::vector<nn::ResnetBlock> resnets;
            std::optional<nn::Downsample> downsample;
        };
        nn::Conv2d conv_in;
        std::vector<Block> blocks;
        MidBlock mid;
        nn::GroupNorm norm_out;
        nn::Conv2d conv_out;

        Encoder(const nn::Parameters& place, const AutoencoderKlConfig& config);
        at::Tensor operator()(const at::Tensor& images) const;  // → [B, 2·latent, H/f, W/f]
    };

    struct Decoder {
        struct Block {
            std::vector<nn::ResnetBlock> resnets;
            std::optional<nn::Upsample> upsample;
        };
        nn::Conv2d conv_in;
        MidBlock mid;
        std::vector<Block> blocks;
        nn::GroupNorm norm_out;
        nn::Conv2d conv_out;

        Decoder(const nn::Parameters& place, const AutoencoderKlConfig& config);
        at::Tensor operator()(const at::Tensor& codes) const;
    };

    AutoencoderKlConfig config_;
    Encoder encoder_;
    Decoder decoder_;
    std::optional<nn::Conv2d> quant_conv_;
    std::optional<nn::Conv2d> post_quant_conv_;
};

}  // namespace gass
