#include "models/blip_text.h"

#include "core/fail.h"
#include "nn/functions.h"

#include <ATen/ATen.h>

namespace gass {

BlipTextConfig BlipTextConfig::from_json(const Json& json, std::string_view where) {
    constexpr std::int64_t kWidest = 65536;
    nn::ConfigReader reader(json, where);
    BlipTextConfig config;
    config.vocab_size = reader.integer("vocab_size", std::nullopt, 1, 10'000'000);
    config.hidden_size = reader.integer("hidden_size", std::nullopt, 1, kWidest);
    config.intermediate_size = reader.integer("intermediate_size");
    config.num_layers = reader.count("num_hidden_layers");
    config.num_heads = reader.integer("num_attention_heads");
    config.max_positions = reader.integer("max_position_embeddings");
    config.layer_norm_eps = reader.number("layer_norm_eps", config.layer_norm_eps);
    reader.require("hidden_act", {"gelu"});
    if (config.hidden_size % config.num_heads != 0)
        reader.refuse("\"hidden_size\" must be a multiple of \"num_attention_heads\"");
    reader.finish();
    return config;
}

BlipText::Attention::Attention(const nn::Parameters& place, const BlipTextConfig& config,
                               std::int64_t context_width)
    : heads(config.num_heads),
      query(place / "self" / "query", config.hidden_size, config.hidden_size),
      key(place / "self" / "key", context_width, config.hidden_size),
      value(place / "self" / "value", context_width, config.hidden_size),
      dense(place / "output" / "dense", config.hidden_size, config.hidden_size),
      norm(place / "output" / "LayerNorm", config.hidden_size, config.layer_norm_eps) {
}

at::Tensor BlipText::Attention::operator()(const at::Tensor& x, const at::Tensor& context,
                                           const std::optional<at::Tensor>& mask) const {
    const at::Tensor attended =
        nn::attention(nn::split_heads(query(x), heads), nn::split_heads(key(context), heads),
                      nn::split_heads(value(context), heads), {.mask = mask});
    return norm(dense(attended) + x);
}

BlipText::Layer::Layer(const nn::Parameters& place, const BlipTextConfig& config, std::int64_t image_width)
    : self_attention(place / "attention", config, config.hidden_size),
      cross_attention(place / "crossattention", config, image_width),
      intermediate(place / "intermediate" / "dense", config.hidden_size, config.intermediate_size),
      output(place / "output" / "dense", config.intermediate_size, config.hidden_size),
      norm(place / "output" / "LayerNorm", config.hidden_size, config.layer_norm_eps) {
}

at::Tensor BlipText::Layer::operator()(const at::Tensor& x, const at::Tensor& mask,
                                       const at::Tensor& image) const {
    const at::Tensor attended = cross_attention(self_attention(x, x, mask), image, std::nullopt);
    return norm(output(at::gelu(intermediate(attended))) + attended);
}

BlipText::BlipText(const nn::Parameters& place, const BlipTextConfig& config, std::int64_t image_width)
    : words_(place / "embeddings" / "word_embeddings", config.vocab_size, config.hidden_size),
      positions_(place / "embeddings" / "position_embeddings", config.max_positions, config.hidden_size),
      norm_(place / "embeddings" / "LayerNorm", config.hidden_size, config.layer_norm_eps) {
    (place / "embeddings").allow("position_ids");  // 0, 1, 2, …
    const nn::Parameters layers = place / "encoder" / "layer";
    for (std::int64_t i = 0; i < config.num_layers; ++i)
        layers_.emplace_back(layers / i, config, image_width);
}

at::Tensor BlipText::operator()(const at::Tensor& ids, const at::Tensor& mask,
                                const at::Tensor& image) const {
    constexpr double kFarBelow = -10000.0;  // published so; a padding token's share vanishes
    const std::int64_t length = ids.size(1);
    if (length > positions_.weight.size(0)) {
        fail(ErrorCode::usage, "BLIP", "at most {} tokens, not {}", positions_.weight.size(0), length);
    }
    at::Tensor x = norm_(words_(ids) + positions_.weight.narrow(0, 0, length));  // [B, T, hidden]
    const at::Tensor added = ((1 - mask.to(x.scalar_type())) * kFarBelow).unsqueeze(1).unsqueeze(1);
    for (const Layer& layer : layers_) x = layer(x, added, image);
    return x;
}

}  // namespace gass
