#include "pipelines/stable_diffusion_3.h"

#include "loading/component.h"
#include "models/prompt_tokens.h"

#include <ATen/Functions.h>

namespace gass {

StableDiffusion3::ClipEncoder StableDiffusion3::open_clip(const Model& model,
                                                          const std::string& suffix) const {
    const ModelComponent& encoder =
        component_of(model, "text_encoder" + suffix, {"CLIPTextModelWithProjection"});
    const auto config = config_of<ClipTextConfig>(encoder);
    if (!config.has_projection) {
        fail(ErrorCode::model_invalid, encoder.folder.shown("config.json"), "it has no text projection");
    }
    return {tokenizer_of(model, "tokenizer" + suffix), config,
            network_of<ClipText>(encoder, config, options_.placement)};
}

StableDiffusion3::StableDiffusion3(const Model& model, const BackboneOptions& options)
    : Backbone(model, "transformer", options),
      config_(config_of<MmditConfig>(component_of(model, "transformer", {"SD3Transformer2DModel"}))),
      clip_{open_clip(model, ""), open_clip(model, "_2")},
      transformer_(network_of<Mmdit>(*model.find("transformer"), config_, options.placement)) {
    if (model.find("text_encoder_3") != nullptr && !options.no_t5) {
        const ModelComponent& encoder = component_of(model, "text_encoder_3", {"T5EncoderModel"});
        const auto config = config_of<T5Config>(encoder);
        if (config.d_model != config_.joint_attention_dim) {
            fail(ErrorCode::model_invalid, encoder.folder.shown("config.json"),
                 "its width is {}, the transformer expects {}", config.d_model, config_.joint_attention_dim);
        }
        std::unique_ptr<Tokenizer> tokenizer = tokenizer_of(model, "tokenizer_3");
        check_ids(*tokenizer, config.vocab_size, encoder.folder.root().string());
        t5_.emplace(T5{std::move(tokenizer), network_of<T5Encoder>(encoder, config, options.placement)});
    }
    std::int64_t pooled = 0;
    for (const ClipEncoder& clip : clip_) {
        check_tokenizer(*clip.tokenizer, clip_[0].tokenizer->max_length(), clip.config,
                        model.folder.root().string());
        pooled += clip.config.encoder.projection_dim;
    }
    const std::int64_t width = clip_[0].config.encoder.hidden_size + clip_[1].config.encoder.hidden_size;
    if (width > config_.joint_attention_dim) {
        fail(ErrorCode::model_invalid, model.folder.root().string(),
             "the text encoders make {} features, the transformer takes {}", width,
             config_.joint_attention_dim);
    }
    if (pooled != config_.pooled_projection_dim) {
        fail(ErrorCode::model_invalid, model.folder.root().string(),
             "the text encoders' projections have {} features, the transformer takes {}", pooled,
             config_.pooled_projection_dim);
    }
    if (config_.in_channels != decoder().config().latent_channels ||
        config_.out_channels != config_.in_channels) {
        fail(ErrorCode::model_invalid, model.folder.root().string(),
             "the transformer takes {} channels and the autoencoder makes {}", config_.in_channels,
             decoder().config().latent_channels);
    }
}

at::Tensor StableDiffusion3::predict(const at::Tensor& x, double timestep, const Condition& condition) const {
    const at::Tensor input = x.to(options_.placement.dtype);
    const at::Tensor time = at::full({x.size(0)}, timestep, input.options().dtype(at::kFloat));
    return (*transformer_.get())(input, time, condition.sequence, condition.pooled).to(at::kFloat);
}

at::Tensor StableDiffusion3::encode_t5(const std::string& text, std::int64_t length) const {
    if (!t5_) {
        return at::zeros({1, length, config_.joint_attention_dim},
                         at::TensorOptions(device()).dtype(options_.placement.dtype));
    }
    return (*t5_->network.get())(token_ids(*t5_->tokenizer, text, length, device()))
        .to(options_.placement.dtype);
}

Condition StableDiffusion3::encode(const std::string& text, const TextOptions& options) const {
    // Both CLIP encoders read as many tokens as the first one's tokenizer says.
    const auto length = static_cast<std::int64_t>(clip_[0].tokenizer->max_length());
    std::vector<at::Tensor> features;
    std::vector<at::Tensor> pooled;
    for (const ClipEncoder& clip : clip_) {
        const ClipTextOutput out = (*clip.network.get())(token_ids(*clip.tokenizer, text, length, device()));
        features.push_back(out.hidden_from_end(options.clip_skip + 2));
        pooled.push_back(out.text_embeds);
    }
    at::Tensor clip = at::cat(features, -1);
    clip = at::constant_pad_nd(clip, {0, config_.joint_attention_dim - clip.size(-1)});
    return {at::cat({clip, encode_t5(text, options.max_sequence_length)}, 1), at::cat(pooled, -1)};
}

std::vector<std::string> StableDiffusion3::truncations(const std::string& text,
                                                       const TextOptions& options) const {
    std::vector<std::string> cut = truncation(*clip_[0].tokenizer, "CLIP", text,
                                              static_cast<std::int64_t>(clip_[0].tokenizer->max_length()));
    if (t5_) {
        for (std::string& line : truncation(*t5_->tokenizer, "T5", text, options.max_sequence_length))
            cut.push_back(std::move(line));
    }
    return cut;
}

ImageSize StableDiffusion3::default_size() const {
    const std::int64_t side = config_.sample_size * decoder().config().downscale();
    return {side, side};
}

std::int64_t StableDiffusion3::image_tokens(ImageSize size) const {
    return (size.width / size_multiple()) * (size.height / size_multiple());
}

double StableDiffusion3::denoiser_bytes(ImageSize size) const {
    // Measured peaks are 20 to 25 copies of the token matrix: q, k, v, the feed-forward's four, residuals.
    const std::int64_t tokens = image_tokens(size) + 512;
    return 28.0 * static_cast<double>(tokens * config_.width()) *
           static_cast<double>(at::elementSize(options_.placement.dtype));
}

void StableDiffusion3::check(ImageSize size, const TextOptions& text) const {
    // The layer before the last is taken anyway.
    for (const ClipEncoder& clip : clip_)
        check_clip_skip(text.clip_skip, clip.config.encoder.num_hidden_layers);
    const std::int64_t largest = config_.pos_embed_max_size * size_multiple();
    if (size.width > largest || size.height > largest) {
        fail(ErrorCode::usage, SettingKey(size.width > largest ? "width" : "height"),
             "this model's positions reach {} pixels, got {}x{}", largest, size.width, size.height);
    }
}

void StableDiffusion3::load() const {
    for (const ClipEncoder& clip : clip_) clip.network.get();
    if (t5_) t5_->network.get();
    transformer_.get();
    decoder().load();
}

void StableDiffusion3::release_text_encoders() const {
    for (const ClipEncoder& clip : clip_) clip.network.release();
    if (t5_) t5_->network.release();
}

}  // namespace gass
