#pragma once

#include "nn/layers.h"
#include "nn/packed_linear.h"
#include "nn/parameters.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace gass {

struct SpatialTransformerOptions {
    std::int64_t channels = 0;
    std::int64_t heads = 1;
    std::int64_t layers = 1;
    std::int64_t context_width = 0;
    std::int64_t groups = 32;
    bool linear_projection = false;  // how the file stores the projections: [C, C] or [C, C, 1, 1]
};

/// diffusers' Transformer2DModel over continuous inputs, as Stable Diffusion's U-Nets use it: every pixel is
/// a token that sees all pixels and the context.
class SpatialTransformer {
  public:
    SpatialTransformer(const nn::Parameters& place, const SpatialTransformerOptions& options);
    /// x [B, C, H, W], context [B, T, context_width] → [B, C, H, W]
    at::Tensor operator()(const at::Tensor& x, const at::Tensor& context) const;

  private:
    struct Attention {
        nn::PackedLinear to_q, to_k, to_v, to_out;
        std::int64_t heads;

        Attention(const nn::Parameters& place, const SpatialTransformerOptions& options,
                  std::int64_t source_width);
        at::Tensor operator()(const at::Tensor& x, const at::Tensor& source) const;
    };

    struct Block {
        nn::LayerNorm norm1, norm2, norm3;
        Attention self_attention, cross_attention;
        nn::PackedLinear gated, out;  // GEGLU: values and gates in one projection

        Block(const nn::Parameters& place, const SpatialTransformerOptions& options);
        at::Tensor operator()(const at::Tensor& x, const at::Tensor& context) const;
    };

    nn::GroupNorm norm_;
    nn::PackedLinear proj_in_, proj_out_;
    std::vector<Block> blocks_;
};

}  // namespace gass
