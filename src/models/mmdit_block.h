#pragma once

#include "nn/layers.h"
#include "nn/packed_linear.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace gass::mmdit {

/// Sizes that every block shares.
struct BlockShape {
    std::int64_t heads = 0;
    std::int64_t head_size = 0;
    bool qk_norm = false;

    std::int64_t width() const { return heads * head_size; }
};

/// The factors and offsets with which the conditioning steers every block: all their linear layers as one, so
/// that one matrix product serves the whole network.
class Modulation {
  public:
    /// Vectors [B, 1, width], in the order in which they were added. Factors of a norm hold 1 + scale.
    using Vectors = std::vector<at::Tensor>;

    Modulation(std::int64_t width, std::int64_t vectors) : width_(width), capacity_(vectors) {}

    /// Adds a layer of `count` vectors and returns the place of the first one. Among each `period` of them
    /// the one at `scale` is a factor of a norm.
    std::size_t add(const nn::Parameters& place, std::int64_t count, std::int64_t period, std::int64_t scale);
    Vectors operator()(const at::Tensor& conditioning) const;  // [B, width]

  private:
    std::int64_t width_;
    std::int64_t capacity_;
    std::int64_t used_ = 0;
    nn::Linear all_;   // [vectors × width, width]
    at::Tensor ones_;  // [vectors × width]: 1 at the factors of norms, else 0
};

/// normalised(x) · factor + shift
at::Tensor modulated_norm(const at::Tensor& x, const at::Tensor& factor, const at::Tensor& shift);

/// Query, key and value of one stream of tokens, by one matrix.
struct HeadProjection {
    struct Names {
        std::string_view query, key, value, query_norm, key_norm;
    };
    static constexpr Names kImage{"to_q", "to_k", "to_v", "norm_q", "norm_k"};
    static constexpr Names kContext{"add_q_proj", "add_k_proj", "add_v_proj", "norm_added_q", "norm_added_k"};

    nn::PackedLinear qkv;
    at::Tensor qk_weight;  // [1, 2, 1, head size] of the two norms, or undefined without them

    HeadProjection(const nn::Parameters& place, const BlockShape& shape, const Names& names);
};

struct FeedForward {
    nn::PackedLinear up;
    nn::PackedLinear down;

    FeedForward(const nn::Parameters& place, std::int64_t width);
    at::Tensor operator()(const at::Tensor& x) const;
};

/// diffusers' JointTransformerBlock: image and text have their own weights and attend to each other.
class Block {
  public:
    /// `last`: the text is only looked at. `dual`: the image also attends to itself alone.
    Block(const nn::Parameters& place, const BlockShape& shape, bool last, bool dual, Modulation& modulation);

    static std::int64_t vector_count(bool last, bool dual) { return (dual ? 9 : 6) + (last ? 2 : 6); }

    /// Image tokens [B, N, width] and text tokens [B, T, width]; the last block's text is undefined.
    std::pair<at::Tensor, at::Tensor> operator()(const at::Tensor& image, const at::Tensor& context,
                                                 const Modulation::Vectors& vectors) const;

  private:
    at::Tensor finish(const at::Tensor& tokens, const at::Tensor& attended, const nn::PackedLinear& out,
                      const FeedForward& feed_forward, const at::Tensor* vectors) const;

    BlockShape shape_;
    std::size_t image_vectors_;
    std::size_t context_vectors_;
    HeadProjection image_heads_;
    HeadProjection context_heads_;
    nn::PackedLinear image_out_;
    FeedForward image_feed_forward_;
    std::optional<HeadProjection> dual_heads_;
    nn::PackedLinear dual_out_;
    nn::PackedLinear context_out_;
    std::optional<FeedForward> context_feed_forward_;  // none in the last block
};

}  // namespace gass::mmdit
