#include "models/blip_vision.h"

#include "core/fail.h"
#include "nn/functions.h"

#include <ATen/ATen.h>

namespace gass {

BlipVisionConfig BlipVisionConfig::from_json(const Json& json, std::string_view where) {
    constexpr std::int64_t kWidest = 65536;
    constexpr std::int64_t kLargestSide = 4096;
    nn::ConfigReader reader(json, where);
    BlipVisionConfig config;
    config.hidden_size = reader.integer("hidden_size", std::nullopt, 1, kWidest);
    config.intermediate_size = reader.integer("intermediate_size");
    config.num_layers = reader.count("num_hidden_layers");
    config.num_heads = reader.integer("num_attention_heads");
    config.image_size = reader.integer("image_size", std::nullopt, 1, kLargestSide);
    config.patch_size = reader.integer("patch_size", std::nullopt, 1, kLargestSide);
    config.layer_norm_eps = reader.number("layer_norm_eps", config.layer_norm_eps);
    reader.require("hidden_act", {"gelu"});
    if (config.hidden_size % config.num_heads != 0)
        reader.refuse("\"hidden_size\" must be a multiple of \"num_attention_heads\"");
    if (config.image_size % config.patch_size != 0)
        reader.refuse("\"image_size\" must be a multiple of \"patch_size\"");
    reader.finish();
    return config;
}

BlipVision::Block::Block(const nn::Parameters& place, const BlipVisionConfig& config)
    : heads(config.num_heads),
      norm1(place / "norm1", config.hidden_size, config.layer_norm_eps),
      qkv(place / "attn" / "qkv", config.hidden_size, 3 * config.hidden_size),
      proj(place / "attn" / "proj", config.hidden_size, config.hidden_size),
      norm2(place / "norm2", config.hidden_size, config.layer_norm_eps),
      fc1(place / "mlp" / "fc1", config.hidden_size, config.intermediate_size),
      fc2(place / "mlp" / "fc2", config.intermediate_size, config.hidden_size) {
}

at::Tensor BlipVision::Block::operator()(const at::Tensor& x) const {
    const auto parts = qkv(norm1(x)).chunk(3, -1);  // 3 × [B, T, hidden]
    const auto head = [&](std::size_t i) { return nn::split_heads(parts[i], heads); };
    const at::Tensor attended = x + proj(nn::attention(head(0), head(1), head(2)));
    return attended + fc2(at::gelu(fc1(norm2(attended))));
}

BlipVision::BlipVision(const nn::Parameters& place, const BlipVisionConfig& config)
    : image_size_(config.image_size),
      patch_embed_(place / "patch_embed" / "proj", 3, config.hidden_size,
                   {.kernel = config.patch_size, .stride = config.patch_size}),
      cls_token_(place.tensor("cls_token", {1, 1, config.hidden_size})),
      pos_embed_(place.tensor("pos_embed", {1, config.tokens(), config.hidden_size})),
      norm_(place / "norm", config.hidden_size, config.layer_norm_eps) {
    for (std::int64_t i = 0; i < config.num_layers; ++i) blocks_.emplace_back(place / "blocks" / i, config);
}

at::Tensor BlipVision::operator()(const at::Tensor& pixels) const {
    if (pixels.size(-1) != image_size_ || pixels.size(-2) != image_size_) {
        fail(ErrorCode::usage, "BLIP", "the picture must be {0}×{0}, not {1}×{2}", image_size_,
             pixels.size(-1), pixels.size(-2));
    }
    const at::Tensor patches = patch_embed_(pixels).flatten(2).transpose(1, 2);  // [B, patches, hidden]
    const at::Tensor whole = cls_token_.expand({pixels.size(0), -1, -1});
    at::Tensor x = at::cat({whole, patches}, 1) + pos_embed_;  // [B, tokens, hidden]
    for (const Block& block : blocks_) x = block(x);
    return norm_(x);
}

}  // namespace gass
