#include "models/t5.h"

#include "nn/config.h"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>

namespace gass {
namespace {

/// fp16 overflows in the large models; as transformers does it, infinities become numbers near the largest.
at::Tensor without_infinities(const at::Tensor& x) {
    if (x.scalar_type() != at::kHalf) return x;
    constexpr double kLargest = 65504;
    const at::Tensor limit = at::where(x.isinf().any(), kLargest - 1000, kLargest);
    return at::clamp(x, -limit, limit);
}

double lowest(at::ScalarType type) {
    switch (type) {
        case at::kHalf:
            return std::numeric_limits<at::Half>::lowest();
        case at::kBFloat16:
            return std::numeric_limits<at::BFloat16>::lowest();
        default:
            return std::numeric_limits<float>::lowest();
    }
}

/// Distances by their bucket: half of the buckets for keys before the query and half for keys after it, exact
/// for near ones, then logarithmically wider up to the maximal distance.
at::Tensor buckets_of(const at::Tensor& relative_position, const T5Config& config) {
    const std::int64_t count = config.relative_attention_num_buckets / 2;
    const std::int64_t exact = count / 2;
    const double log_range =
        std::log(static_cast<double>(config.relative_attention_max_distance) / static_cast<double>(exact));
    const at::Tensor distance = relative_position.abs();
    const at::Tensor wide =
        exact + (at::log(distance.to(at::kFloat) / exact) / log_range * (count - exact)).to(at::kLong);
    const at::Tensor bucket = at::where(distance < exact, distance, wide.clamp_max(count - 1));
    return bucket + (relative_position > 0).to(at::kLong) * count;
}

}  // namespace

T5Config T5Config::from_json(const Json& json, std::string_view where) {
    nn::ConfigReader reader(json, where);
    reader.require("model_type", {"t5"});
    T5Config config;
    config.vocab_size = reader.integer("vocab_size", config.vocab_size);
    config.d_model = reader.integer("d_model", config.d_model);
    config.d_kv = reader.integer("d_kv", config.d_kv, 1, 4096);
    config.d_ff = reader.integer("d_ff", config.d_ff);
    config.num_layers = reader.count("num_layers", config.num_layers);
    config.num_heads = reader.integer("num_heads", config.num_heads, 1, 4096);
    config.relative_attention_num_buckets =
        reader.integer("relative_attention_num_buckets", config.relative_attention_num_buckets, 4);
    const std::int64_t exact = config.relative_attention_num_buckets / 4;
    config.relative_attention_max_distance =
        reader.integer("relative_attention_max_distance", config.relative_attention_max_distance, exact + 1);
    config.layer_norm_epsilon = reader.number("layer_norm_epsilon", config.layer_norm_epsilon);

    // "gated-gelu" has always meant the tanh form; the two fields say the same again where a file has them.
    const std::string feed_forward = reader.text("feed_forward_proj", "relu");
    const bool gated = feed_forward.starts_with("gated-");
    std::string activation = gated ? feed_forward.substr(std::string_view("gated-").size()) : feed_forward;
    if (feed_forward == "gated-gelu") activation = "gelu_new";
    config.is_gated_act = reader.boolean("is_gated_act", gated);
    config.dense_act_fn = nn::activation_named(reader.text("dense_act_fn", activation), where);

    nn::ignore_transformers_fields(reader);
    reader.ignore({"classifier_dropout", "dropout_rate", "n_positions", "num_decoder_layers", "output_past",
                   "scale_decoder_outputs"});
    reader.finish();
    return config;
}

T5Norm::T5Norm(const nn::Parameters& place, const T5Config& config)
    : weight(place.tensor("weight", {config.d_model})), epsilon(config.layer_norm_epsilon) {
}

at::Tensor T5Norm::operator()(const at::Tensor& x) const {
    const at::Tensor wide = x.to(at::kFloat);
    const at::Tensor normed = wide * at::rsqrt(wide.square().mean(-1, true) + epsilon);
    return weight * normed.to(weight.scalar_type());
}

T5Block::T5Block(const nn::Parameters& place, const T5Config& config)
    : activation(config.dense_act_fn), heads(config.num_heads) {
    const std::int64_t inner = config.num_heads * config.d_kv;
    const nn::Parameters attention = place / "layer" / 0 / "SelfAttention";
    attention_norm = T5Norm(place / "layer" / 0 / "layer_norm", config);
    q = nn::Linear(attention / "q", config.d_model, inner, false);
    k = nn::Linear(attention / "k", config.d_model, inner, false);
    v = nn::Linear(attention / "v", config.d_model, inner, false);
    o = nn::Linear(attention / "o", inner, config.d_model, false);

    const nn::Parameters dense = place / "layer" / 1 / "DenseReluDense";
    feed_forward_norm = T5Norm(place / "layer" / 1 / "layer_norm", config);
    wi = nn::Linear(dense / (config.is_gated_act ? "wi_0" : "wi"), config.d_model, config.d_ff, false);
    if (config.is_gated_act) gated.emplace(dense / "wi_1", config.d_model, config.d_ff, false);
    wo = nn::Linear(dense / "wo", config.d_ff, config.d_model, false);
    // Its result exceeds fp16 in the large models.
    if (wo.weight.scalar_type() == at::kHalf) wo.weight = wo.weight.to(at::kFloat);
}

at::Tensor T5Block::operator()(const at::Tensor& x, const at::Tensor& bias) const {
    const at::Tensor normed = attention_norm(x);
    const at::Tensor query = nn::split_heads(q(normed), heads);  // [B, heads, T, d_kv]
    const at::Tensor key = nn::split_heads(k(normed), heads);
    const at::Tensor value = nn::split_heads(v(normed), heads);
    const at::Tensor attended =
        without_infinities(x + o(nn::attention(query, key, value, {.mask = bias, .scale = 1.0})));

    const at::Tensor input = feed_forward_norm(attended);
    at::Tensor inner = nn::activate(activation, wi(input));
    if (gated) inner = inner * (*gated)(input);
    return without_infinities(attended + wo(inner.to(wo.weight.scalar_type())));
}

T5Encoder::T5Encoder(const nn::Parameters& place, const T5Config& config) : config_(config) {
    const nn::Parameters encoder = place / "encoder";
    // One tensor under two names; files have either or both.
    const bool is_shared = place.has("shared.weight") || !encoder.has("embed_tokens.weight");
    shared_ = nn::Embedding(is_shared ? place / "shared" : encoder / "embed_tokens", config.vocab_size,
                            config.d_model);
    encoder.allow("embed_tokens.weight");
    const nn::Parameters blocks = encoder / "block";
    relative_attention_bias_ =
        nn::Embedding(blocks / 0 / "layer" / 0 / "SelfAttention" / "relative_attention_bias",
                      config.relative_attention_num_buckets, config.num_heads);
    for (std::int64_t i = 0; i < config.num_layers; ++i) blocks_.emplace_back(blocks / i, config);
    final_layer_norm_ = T5Norm(encoder / "final_layer_norm", config);
}

at::Tensor T5Encoder::embed(const at::Tensor& ids) const {
    return shared_(ids);
}

at::Tensor T5Encoder::encode(const at::Tensor& embeddings,
                             const std::optional<at::Tensor>& attention_mask) const {
    at::Tensor bias = position_bias(embeddings.size(1));  // [1, heads, T, T]
    if (attention_mask) {
        const at::Tensor allowed = attention_mask->to(at::kBool).unsqueeze(1).unsqueeze(1);  // [B, 1, 1, T]
        bias = at::where(allowed, bias, at::scalar_tensor(lowest(bias.scalar_type()), bias.options()));
    }
    at::Tensor x = embeddings;
    for (const T5Block& block : blocks_) x = block(x, bias);
    return final_layer_norm_(x);
}

at::Tensor T5Encoder::operator()(const at::Tensor& ids,
                                 const std::optional<at::Tensor>& attention_mask) const {
    return encode(embed(ids), attention_mask);
}

at::Tensor T5Encoder::position_bias(std::int64_t length) const {
    const at::Tensor positions =
        at::arange(length, relative_attention_bias_.weight.options().dtype(at::kLong));
    const at::Tensor relative = positions.unsqueeze(0) - positions.unsqueeze(1);  // [T queries, T keys]
    return relative_attention_bias_(buckets_of(relative, config_))
        .permute({2, 0, 1})
        .unsqueeze(0)
        .contiguous();
}

}  // namespace gass
