#pragma once

#include "models/clip_encoder.h"

#include <optional>

namespace gass {

struct ClipTextConfig {
    ClipEncoderConfig encoder;
    std::int64_t vocab_size = 49408;
    std::int64_t max_position_embeddings = 77;
    std::int64_t eos_token_id = 49407;
    bool has_projection = false;  // CLIPTextModelWithProjection; CLIPTextModel has none

    static ClipTextConfig from_json(const Json& json, std::string_view where);
};

struct ClipTextOutput {
    /// layers + 1 of [B, T, C]: the embedded tokens, then what each layer makes of them, without final norm.
    std::vector<at::Tensor> hidden_states;
    at::Tensor last_hidden_state;  // [B, T, C], after the final norm
    at::Tensor pooled;             // [B, C], the last hidden state at the end-of-text token
    at::Tensor text_embeds;        // [B, projection_dim], or undefined without projection

    /// hidden_states[-k] of transformers: 1 is the last layer's, 2 the one before it.
    const at::Tensor& hidden_from_end(std::int64_t k) const;
};

/// CLIPTextModel and CLIPTextModelWithProjection.
class ClipText {
  public:
    ClipText(const nn::Parameters& place, const ClipTextConfig& config);

    /// Token embeddings without positions: [B, T] → [B, T, C].
    at::Tensor embed(const at::Tensor& ids) const;
    /// `ids` say where the text ends. `attention_mask` [B, T] is 0 at tokens that nobody attends to.
    ClipTextOutput encode(const at::Tensor& embeddings, const at::Tensor& ids,
                          const std::optional<at::Tensor>& attention_mask = std::nullopt) const;
    ClipTextOutput operator()(const at::Tensor& ids,
                              const std::optional<at::Tensor>& attention_mask = std::nullopt) const;
    /// For hidden states of an earlier layer, which some pipelines norm like the last one's.
    at::Tensor final_norm(const at::Tensor& hidden) const;

    const ClipTextConfig& config() const { return config_; }

  private:
    at::Tensor end_positions(const at::Tensor& ids) const;

    ClipTextConfig config_;
    nn::Embedding token_embedding_;
    at::Tensor position_embedding_;  // [max_position_embeddings, C]
    std::vector<ClipLayer> layers_;
    nn::LayerNorm final_layer_norm_;
    std::optional<nn::Linear> text_projection_;
};

}  // namespace gass
