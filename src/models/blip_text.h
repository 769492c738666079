#pragma once

#include "nn/config.h"
#include "nn/layers.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gass {

/// BLIP's text encoder that looks at the picture: BERT with cross attention in every layer.
struct BlipTextConfig {
    std::int64_t vocab_size = 30524;
    std::int64_t hidden_size = 768;
    std::int64_t intermediate_size = 3072;
    std::int64_t num_layers = 12;
    std::int64_t num_heads = 12;
    std::int64_t max_positions = 512;
    double layer_norm_eps = 1e-12;

    static BlipTextConfig from_json(const Json& json, std::string_view where);
};

class BlipText {
  public:
    /// `image_width` is the width of the image tokens.
    BlipText(const nn::Parameters& place, const BlipTextConfig& config, std::int64_t image_width);

    /// ids [B, T]; mask [B, T], 1 for tokens and 0 for padding; image [B, N, image_width] → [B, T, hidden]
    at::Tensor operator()(const at::Tensor& ids, const at::Tensor& mask, const at::Tensor& image) const;

  private:
    /// Attention from x to `context`, then x is added and the sum normed.
    struct Attention {
        std::int64_t heads;
        nn::Linear query;
        nn::Linear key;
        nn::Linear value;
        nn::Linear dense;
        nn::LayerNorm norm;

        Attention(const nn::Parameters& place, const BlipTextConfig& config, std::int64_t context_width);
        at::Tensor operator()(const at::Tensor& x, const at::Tensor& context,
                              const std::optional<at::Tensor>& mask) const;
    };

    struct Layer {
        Attention self_attention;
        Attention cross_attention;
        nn::Linear intermediate;
        nn::Linear output;
        nn::LayerNorm norm;

        Layer(const nn::Parameters& place, const BlipTextConfig& config, std::int64_t image_width);
        at::Tensor operator()(const at::Tensor& x, const at::Tensor& mask, const at::Tensor& image) const;
    };

    nn::Embedding words_;
    nn::Embedding positions_;
    nn::LayerNorm norm_;
    std::vector<Layer> layers_;
};

}  // namespace gass
