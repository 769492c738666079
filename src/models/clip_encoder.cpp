#include "models/clip_encoder.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

namespace gass {

ClipEncoderConfig ClipEncoderConfig::read(nn::ConfigReader& reader, const ClipEncoderConfig& defaults) {
    ClipEncoderConfig config = defaults;
    config.hidden_size = reader.integer("hidden_size", defaults.hidden_size);
    config.intermediate_size = reader.integer("intermediate_size", defaults.intermediate_size);
    config.num_hidden_layers = reader.count("num_hidden_layers", defaults.num_hidden_layers);
    config.num_attention_heads = reader.integer("num_attention_heads", defaults.num_attention_heads);
    config.projection_dim = reader.integer("projection_dim", defaults.projection_dim);
    config.hidden_act = nn::activation_named(reader.text("hidden_act", "quick_gelu"), reader.where());
    config.layer_norm_eps = reader.number("layer_norm_eps", defaults.layer_norm_eps);
    if (config.hidden_size % config.num_attention_heads != 0) {
        reader.refuse(fmt::format("\"hidden_size\" = {} is not a multiple of \"num_attention_heads\" = {}",
                                  config.hidden_size, config.num_attention_heads));
    }
    return config;
}

ClipAttention::ClipAttention(const nn::Parameters& place, const ClipEncoderConfig& config)
    : q_proj(place / "q_proj", config.hidden_size, config.hidden_size),
      k_proj(place / "k_proj", config.hidden_size, config.hidden_size),
      v_proj(place / "v_proj", config.hidden_size, config.hidden_size),
      out_proj(place / "out_proj", config.hidden_size, config.hidden_size),
      heads(config.num_attention_heads) {
}

at::Tensor ClipAttention::operator()(const at::Tensor& x, const nn::AttentionOptions& options) const {
    const at::Tensor query = nn::split_heads(q_proj(x), heads);  // [B, heads, T, C/heads]
    const at::Tensor key = nn::split_heads(k_proj(x), heads);
    const at::Tensor value = nn::split_heads(v_proj(x), heads);
    return out_proj(nn::attention(query, key, value, options));
}

ClipLayer::ClipLayer(const nn::Parameters& place, const ClipEncoderConfig& config)
    : layer_norm1(place / "layer_norm1", config.hidden_size, config.layer_norm_eps),
      self_attn(place / "self_attn", config),
      layer_norm2(place / "layer_norm2", config.hidden_size, config.layer_norm_eps),
      fc1(place / "mlp" / "fc1", config.hidden_size, config.intermediate_size),
      fc2(place / "mlp" / "fc2", config.intermediate_size, config.hidden_size),
      activation(config.hidden_act) {
}

at::Tensor ClipLayer::operator()(const at::Tensor& x, const nn::AttentionOptions& options) const {
    const at::Tensor attended = x + self_attn(layer_norm1(x), options);
    return attended + fc2(fc1(layer_norm2(attended), activation));
}

void ClipLayer::pack() {
    for (nn::PackableLinear* linear :
         {&self_attn.q_proj, &self_attn.k_proj, &self_attn.v_proj, &self_attn.out_proj, &fc1, &fc2})
        linear->pack();
}

std::vector<ClipLayer> clip_layers(const nn::Parameters& place, const ClipEncoderConfig& config) {
    std::vector<ClipLayer> layers;
    for (std::int64_t i = 0; i < config.num_hidden_layers; ++i) layers.emplace_back(place / i, config);
    return layers;
}

nn::Parameters clip_half(const nn::Parameters& place, std::string_view prefix, std::string_view probe) {
    return place.has(probe) ? place : place / prefix;
}

}  // namespace gass
