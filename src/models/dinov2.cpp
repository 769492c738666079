#include "models/dinov2.h"

#include "nn/config.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

namespace gass {

Dinov2Config Dinov2Config::from_json(const Json& json, std::string_view where) {
    nn::ConfigReader reader(json, where);
    reader.require("model_type", {"dinov2"});
    Dinov2Config config;
    config.hidden_size = reader.integer("hidden_size", config.hidden_size);
    config.num_hidden_layers = reader.count("num_hidden_layers", config.num_hidden_layers);
    config.num_attention_heads = reader.integer("num_attention_heads", config.num_attention_heads);
    if (config.hidden_size % config.num_attention_heads != 0) {
        reader.refuse(fmt::format("\"hidden_size\" = {} is not a multiple of \"num_attention_heads\" = {}",
                                  config.hidden_size, config.num_attention_heads));
    }
    const double mlp_ratio = reader.number("mlp_ratio", 4.0);
    if (mlp_ratio <= 0 || mlp_ratio > 64) reader.refuse("\"mlp_ratio\" must be above 0 and at most 64");
    config.intermediate_size = static_cast<std::int64_t>(static_cast<double>(config.hidden_size) * mlp_ratio);
    config.hidden_act = nn::activation_named(reader.text("hidden_act", "gelu"), where);
    config.layer_norm_eps = reader.number("layer_norm_eps", config.layer_norm_eps);
    config.image_size = reader.integer("image_size", config.image_size, 1, 16384);
    config.patch_size = reader.integer("patch_size", config.patch_size, 1, config.image_size);
    config.num_channels = reader.integer("num_channels", config.num_channels, 1, 64);
    config.qkv_bias = reader.boolean("qkv_bias", config.qkv_bias);
    config.use_swiglu_ffn = reader.boolean("use_swiglu_ffn", config.use_swiglu_ffn);
    nn::ignore_transformers_fields(reader);
    reader.ignore({"apply_layernorm", "attention_probs_dropout_prob", "drop_path_rate", "hidden_dropout_prob",
                   "layerscale_value", "out_features", "out_indices", "reshape_hidden_states", "stage_names",
                   "use_mask_token"});
    reader.finish();
    return config;
}

Dinov2FeedForward::Dinov2FeedForward(const nn::Parameters& place, const Dinov2Config& config)
    : activation(config.hidden_act), is_gated(config.use_swiglu_ffn) {
    if (is_gated) {
        // Two thirds, so that three matrices hold as much as two, in multiples of 8.
        const std::int64_t inner = (config.intermediate_size * 2 / 3 + 7) / 8 * 8;
        in = nn::PackableLinear(place / "weights_in", config.hidden_size, 2 * inner);
        out = nn::PackableLinear(place / "weights_out", inner, config.hidden_size);
    } else {
        in = nn::PackableLinear(place / "fc1", config.hidden_size, config.intermediate_size);
        out = nn::PackableLinear(place / "fc2", config.intermediate_size, config.hidden_size);
    }
}

at::Tensor Dinov2FeedForward::operator()(const at::Tensor& x) const {
    if (!is_gated) return out(in(x, activation));
    const std::vector<at::Tensor> halves = in(x).chunk(2, -1);
    return out(at::silu(halves[0]) * halves[1]);
}

Dinov2Layer::Dinov2Layer(const nn::Parameters& place, const Dinov2Config& config)
    : norm1(place / "norm1", config.hidden_size, config.layer_norm_eps),
      query(place / "attention" / "attention" / "query", config.hidden_size, config.hidden_size,
            config.qkv_bias),
      key(place / "attention" / "attention" / "key", config.hidden_size, config.hidden_size, config.qkv_bias),
      value(place / "attention" / "attention" / "value", config.hidden_size, config.hidden_size,
            config.qkv_bias),
      output(place / "attention" / "output" / "dense", config.hidden_size, config.hidden_size),
      layer_scale1((place / "layer_scale1").tensor("lambda1", {config.hidden_size})),
      norm2(place / "norm2", config.hidden_size, config.layer_norm_eps),
      mlp(place / "mlp", config),
      layer_scale2((place / "layer_scale2").tensor("lambda1", {config.hidden_size})),
      heads(config.num_attention_heads) {
}

at::Tensor Dinov2Layer::operator()(const at::Tensor& x) const {
    const at::Tensor normed = norm1(x);
    const at::Tensor attended =
        x + layer_scale1 * output(nn::attention(nn::split_heads(query(normed), heads),
                                                nn::split_heads(key(normed), heads),
                                                nn::split_heads(value(normed), heads)));
    return attended + layer_scale2 * mlp(norm2(attended));
}

void Dinov2Layer::pack() {
    for (nn::PackableLinear* linear : {&query, &key, &value, &output, &mlp.in, &mlp.out}) linear->pack();
}

Dinov2::Dinov2(const nn::Parameters& place, const Dinov2Config& config) : config_(config) {
    const std::int64_t width = config.hidden_size;
    const std::int64_t side = config.image_size / config.patch_size;
    const nn::Parameters embeddings = place / "embeddings";
    embeddings.allow("mask_token");  // hides patches in training
    cls_token_ = embeddings.tensor("cls_token", {1, 1, width});
    position_embeddings_ = embeddings.tensor("position_embeddings", {1, side * side + 1, width});
    projection_ = nn::Conv2d(embeddings / "patch_embeddings" / "projection", config.num_channels, width,
                             {.kernel = config.patch_size, .stride = config.patch_size});
    const nn::Parameters layers = place / "encoder" / "layer";
    for (std::int64_t i = 0; i < config.num_hidden_layers; ++i) layers_.emplace_back(layers / i, config);
    layernorm_ = nn::LayerNorm(place / "layernorm", width, config.layer_norm_eps);
}

Dinov2Output Dinov2::operator()(const at::Tensor& pixels) const {
    const at::Tensor patches = projection_(pixels.to(projection_.weight.scalar_type()));  // [B, C, H', W']
    at::Tensor x = at::cat({cls_token_.expand({pixels.size(0), -1, -1}), patches.flatten(2).transpose(1, 2)},
                           1);  // [B, T, C]
    x = x + positions(patches.size(2), patches.size(3));
    for (const Dinov2Layer& layer : layers_) x = layer(x);
    x = layernorm_(x);
    return {.last_hidden_state = x, .pooled = x.select(1, 0)};
}

void Dinov2::pack() {
    for (Dinov2Layer& layer : layers_) layer.pack();
}

at::Tensor Dinov2::positions(std::int64_t height, std::int64_t width) const {
    const std::int64_t side = config_.image_size / config_.patch_size;
    if (height == side && width == side) return position_embeddings_;
    const at::Tensor table =
        position_embeddings_.slice(1, 1).unflatten(1, {side, side}).permute({0, 3, 1, 2});  // [1, C, s, s]
    const at::Tensor resized = at::upsample_bicubic2d(table.to(at::kFloat), {height, width}, false)
                                   .to(table.scalar_type())
                                   .flatten(2)
                                   .transpose(1, 2);  // [1, patches, C]
    return at::cat({position_embeddings_.slice(1, 0, 1), resized}, 1);
}

}  // namespace gass
