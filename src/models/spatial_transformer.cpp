#include "models/spatial_transformer.h"

#include "nn/functions.h"

#include <ATen/ATen.h>

namespace gass {
namespace {

constexpr double kGroupNormEpsilon = 1e-6;
constexpr double kLayerNormEpsilon = 1e-5;

/// A 1×1 convolution is the same linear map of every pixel.
nn::PackedLinear projection(const nn::Parameters& place, const SpatialTransformerOptions& options) {
    const std::int64_t channels = options.channels;
    if (options.linear_projection) return nn::PackedLinear(nn::Linear(place, channels, channels));
    nn::Linear linear;
    linear.weight = place.tensor("weight", {channels, channels, 1, 1}).flatten(1);
    linear.bias = place.tensor("bias", {channels});
    return nn::PackedLinear(linear);
}

}  // namespace

SpatialTransformer::Attention::Attention(const nn::Parameters& place,
                                         const SpatialTransformerOptions& options, std::int64_t source_width)
    : to_q(nn::Linear(place / "to_q", options.channels, options.channels, false)),
      to_k(nn::Linear(place / "to_k", source_width, options.channels, false)),
      to_v(nn::Linear(place / "to_v", source_width, options.channels, false)),
      to_out(nn::Linear(place / "to_out" / 0, options.channels, options.channels)),
      heads(options.heads) {
}

at::Tensor SpatialTransformer::Attention::operator()(const at::Tensor& x, const at::Tensor& source) const {
    return to_out(nn::attention(nn::split_heads(to_q(x), heads), nn::split_heads(to_k(source), heads),
                                nn::split_heads(to_v(source), heads)));
}

SpatialTransformer::Block::Block(const nn::Parameters& place, const SpatialTransformerOptions& options)
    : norm1(place / "norm1", options.channels, kLayerNormEpsilon),
      norm2(place / "norm2", options.channels, kLayerNormEpsilon),
      norm3(place / "norm3", options.channels, kLayerNormEpsilon),
      self_attention(place / "attn1", options, options.channels),
      cross_attention(place / "attn2", options, options.context_width),
      gated(nn::Linear(place / "ff" / "net" / 0 / "proj", options.channels, 8 * options.channels)),
      out(nn::Linear(place / "ff" / "net" / 2, 4 * options.channels, options.channels)) {
}

at::Tensor SpatialTransformer::Block::operator()(const at::Tensor& x, const at::Tensor& context) const {
    const at::Tensor normed = norm1(x);
    at::Tensor hidden = x + self_attention(normed, normed);
    hidden = hidden + cross_attention(norm2(hidden), context);
    const auto halves = gated(norm3(hidden)).chunk(2, -1);  // values, gates: [B, H·W, 4·C]
    return hidden + out(halves[0] * at::gelu(halves[1]));
}

SpatialTransformer::SpatialTransformer(const nn::Parameters& place, const SpatialTransformerOptions& options)
    : norm_(place / "norm", options.channels, options.groups, kGroupNormEpsilon),
      proj_in_(projection(place / "proj_in", options)),
      proj_out_(projection(place / "proj_out", options)) {
    for (std::int64_t layer = 0; layer < options.layers; ++layer)
        blocks_.emplace_back(place / "transformer_blocks" / layer, options);
}

at::Tensor SpatialTransformer::operator()(const at::Tensor& x, const at::Tensor& context) const {
    at::Tensor tokens = proj_in_(norm_(x).permute({0, 2, 3, 1}).flatten(1, 2));  // [B, H·W, C]
    for (const Block& block : blocks_) tokens = block(tokens, context);
    return x + proj_out_(tokens).unflatten(1, {x.size(2), x.size(3)}).permute({0, 3, 1, 2});
}

}  // namespace gass
