#pragma once

#include "nn/config.h"
#include "nn/functions.h"
#include "nn/layers.h"
#include "nn/parameters.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gass {

/// The defaults are those of transformers.
struct T5Config {
    std::int64_t vocab_size = 32128;
    std::int64_t d_model = 512;
    std::int64_t d_kv = 64;
    std::int64_t d_ff = 2048;
    std::int64_t num_layers = 6;
    std::int64_t num_heads = 8;
    std::int64_t relative_attention_num_buckets = 32;
    std::int64_t relative_attention_max_distance = 128;
    double layer_norm_epsilon = 1e-6;
    nn::Activation dense_act_fn = nn::Activation::relu;
    bool is_gated_act = false;

    static T5Config from_json(const Json& json, std::string_view where);
};

/// An RMS norm whose result has the type of its weight: with half-precision weights the residual stream may
/// be fp32.
struct T5Norm {
    at::Tensor weight;  // [d_model]
    double epsilon = 1e-6;

    T5Norm() = default;
    T5Norm(const nn::Parameters& place, const T5Config& config);
    at::Tensor operator()(const at::Tensor& x) const;
};

struct T5Block {
    T5Norm attention_norm;
    nn::Linear q;
    nn::Linear k;
    nn::Linear v;
    nn::Linear o;
    T5Norm feed_forward_norm;
    nn::Linear wi;                    // wi_0 if gated
    std::optional<nn::Linear> gated;  // wi_1
    nn::Linear wo;
    nn::Activation activation;
    std::int64_t heads = 1;

    T5Block(const nn::Parameters& place, const T5Config& config);
    /// `bias` is added to the attention's scores.
    at::Tensor operator()(const at::Tensor& x, const at::Tensor& bias) const;  // [B, T, d_model]
};

/// T5EncoderModel.
class T5Encoder {
  public:
    T5Encoder(const nn::Parameters& place, const T5Config& config);

    at::Tensor embed(const at::Tensor& ids) const;  // [B, T] → [B, T, d_model]
    /// `attention_mask` [B, T] is 0 at tokens that nobody attends to. The result is [B, T, d_model], after
    /// the final norm.
    at::Tensor encode(const at::Tensor& embeddings,
                      const std::optional<at::Tensor>& attention_mask = std::nullopt) const;
    at::Tensor operator()(const at::Tensor& ids,
                          const std::optional<at::Tensor>& attention_mask = std::nullopt) const;

    const T5Config& config() const { return config_; }

  private:
    at::Tensor position_bias(std::int64_t length) const;

    T5Config config_;
    nn::Embedding shared_;
    nn::Embedding relative_attention_bias_;  // [buckets, heads]
    std::vector<T5Block> blocks_;
    T5Norm final_layer_norm_;
};

}  // namespace gass
