#include "models/clip_text.h"

#include "core/fail.h"
#include "nn/config.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace gass {
namespace {

// Before transformers wrote the real id, every config.json said 2 here and texts ended at their highest id.
constexpr std::int64_t kLegacyEosTokenId = 2;

nn::AttentionOptions causal_attention(const std::optional<at::Tensor>& attention_mask) {
    nn::AttentionOptions options;
    if (!attention_mask) {
        options.causal = true;
        return options;
    }
    const std::int64_t length = attention_mask->size(-1);
    const at::Tensor allowed = attention_mask->to(at::kBool).unsqueeze(1).unsqueeze(1);  // [B, 1, 1, T]
    options.mask = allowed & at::ones({length, length}, allowed.options()).tril();       // [B, 1, T, T]
    return options;
}

}  // namespace

ClipTextConfig ClipTextConfig::from_json(const Json& json, std::string_view where) {
    nn::ConfigReader reader(json, where);
    reader.require("model_type", {"clip_text_model"});
    ClipTextConfig config;
    config.encoder = ClipEncoderConfig::read(reader, config.encoder);
    config.vocab_size = reader.integer("vocab_size", config.vocab_size);
    config.max_position_embeddings =
        reader.integer("max_position_embeddings", config.max_position_embeddings);
    config.eos_token_id = reader.integer("eos_token_id", config.eos_token_id, 0);
    const std::vector<std::string> classes = reader.texts("architectures", std::vector<std::string>());
    config.has_projection =
        std::find(classes.begin(), classes.end(), "CLIPTextModelWithProjection") != classes.end();
    nn::ignore_transformers_fields(reader);
    reader.finish();
    return config;
}

const at::Tensor& ClipTextOutput::hidden_from_end(std::int64_t k) const {
    const auto count = static_cast<std::int64_t>(hidden_states.size());
    if (k < 1 || k > count) {
        fail(ErrorCode::usage, "CLIP text encoder", "has hidden states -1 to -{}, not -{}", count, k);
    }
    return hidden_states[static_cast<std::size_t>(count - k)];
}

ClipText::ClipText(const nn::Parameters& place, const ClipTextConfig& config) : config_(config) {
    const std::int64_t width = config.encoder.hidden_size;
    const nn::Parameters half = clip_half(place, "text_model", "embeddings.token_embedding.weight");
    const nn::Parameters embeddings = half / "embeddings";
    embeddings.allow("position_ids");  // 0, 1, 2, …; older versions of transformers saved it
    token_embedding_ = nn::Embedding(embeddings / "token_embedding", config.vocab_size, width);
    position_embedding_ =
        (embeddings / "position_embedding").tensor("weight", {config.max_position_embeddings, width});
    layers_ = clip_layers(half / "encoder" / "layers", config.encoder);
    final_layer_norm_ = nn::LayerNorm(half / "final_layer_norm", width, config.encoder.layer_norm_eps);
    if (config.has_projection) {
        text_projection_.emplace(place / "text_projection", width, config.encoder.projection_dim, false);
    }
}

at::Tensor ClipText::embed(const at::Tensor& ids) const {
    return token_embedding_(ids);
}

ClipTextOutput ClipText::encode(const at::Tensor& embeddings, const at::Tensor& ids,
                                const std::optional<at::Tensor>& attention_mask) const {
    const std::int64_t length = ids.size(-1);
    if (length > config_.max_position_embeddings) {
        fail(ErrorCode::usage, "CLIP text encoder", "takes at most {} tokens, not {}",
             config_.max_position_embeddings, length);
    }
    const nn::AttentionOptions options = causal_attention(attention_mask);
    ClipTextOutput output;
    output.hidden_states.push_back(embeddings + position_embedding_.slice(0, 0, length));  // [B, T, C]
    for (const ClipLayer& layer : layers_) {
        output.hidden_states.push_back(layer(output.hidden_states.back(), options));
    }
    output.last_hidden_state = final_norm(output.hidden_states.back());

    const at::Tensor rows = at::arange(ids.size(0), ids.options());
    output.pooled = output.last_hidden_state.index({rows, end_positions(ids)});  // [B, C]
    if (text_projection_) output.text_embeds = (*text_projection_)(output.pooled);
    return output;
}

ClipTextOutput ClipText::operator()(const at::Tensor& ids,
                                    const std::optional<at::Tensor>& attention_mask) const {
    return encode(embed(ids), ids, attention_mask);
}

at::Tensor ClipText::final_norm(const at::Tensor& hidden) const {
    return final_layer_norm_(hidden);
}

at::Tensor ClipText::end_positions(const at::Tensor& ids) const {
    if (config_.eos_token_id == kLegacyEosTokenId) return ids.argmax(-1);
    return ids.eq(config_.eos_token_id).to(at::kInt).argmax(-1);  // the first: padding may be the same token
}

}  // namespace gass
