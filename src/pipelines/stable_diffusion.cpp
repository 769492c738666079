#include "pipelines/stable_diffusion.h"

#include "loading/component.h"
#include "models/prompt_tokens.h"

#include <ATen/Functions.h>

#include <algorithm>

namespace gass {

StableDiffusion::StableDiffusion(const Model& model, const BackboneOptions& options)
    : Backbone(model, "unet", options),
      tokenizer_(tokenizer_of(model, "tokenizer")),
      text_config_(config_of<ClipTextConfig>(component_of(model, "text_encoder", {"CLIPTextModel"}))),
      unet_config_(config_of<UNet2dConfig>(component_of(model, "unet", {"UNet2DConditionModel"}))),
      text_encoder_(network_of<ClipText>(*model.find("text_encoder"), text_config_, options.placement)),
      unet_(network_of<UNet2d>(*model.find("unet"), unet_config_, options.placement)) {
    check_tokenizer(*tokenizer_, tokenizer_->max_length(), text_config_, model.folder.root().string());
    if (unet_config_.in_channels != decoder().config().latent_channels ||
        unet_config_.out_channels != unet_config_.in_channels) {
        fail(ErrorCode::model_invalid, model.folder.root().string(),
             "the U-Net takes {} channels and the autoencoder makes {}: this is not a text-to-image model",
             unet_config_.in_channels, decoder().config().latent_channels);
    }
    if (unet_config_.cross_attention_dim != text_config_.encoder.hidden_size) {
        fail(ErrorCode::model_invalid, model.folder.root().string(),
             "the text encoder makes {} features, the U-Net takes {}", text_config_.encoder.hidden_size,
             unet_config_.cross_attention_dim);
    }
}

void StableDiffusion::load() const {
    text_encoder_.get();
    unet_.get();
    decoder().load();
}

at::Tensor StableDiffusion::predict(const at::Tensor& x, double timestep, const Condition& condition) const {
    const at::Tensor input = x.to(options_.placement.dtype);
    const at::Tensor time = at::full({1}, timestep, input.options().dtype(at::kFloat));
    return (*unet_.get())(input, time, condition.sequence).to(at::kFloat);
}

Condition StableDiffusion::encode(const std::string& text, const TextOptions& options) const {
    const auto network = text_encoder_.get();
    const auto length = static_cast<std::int64_t>(tokenizer_->max_length());
    const ClipTextOutput out = (*network)(token_ids(*tokenizer_, text, length, device()));
    if (options.clip_skip == 0) return {out.last_hidden_state, {}};
    // An earlier layer's state still goes through the last norm, which the U-Net was trained behind.
    return {network->final_norm(out.hidden_from_end(options.clip_skip + 1)), {}};
}

void StableDiffusion::check(ImageSize, const TextOptions& text) const {
    check_clip_skip(text.clip_skip, text_config_.encoder.num_hidden_layers);
}

std::vector<std::string> StableDiffusion::truncations(const std::string& text, const TextOptions&) const {
    return truncation(*tokenizer_, "CLIP", text, static_cast<std::int64_t>(tokenizer_->max_length()));
}

std::int64_t StableDiffusion::size_multiple() const {
    return std::max<std::int64_t>(8, decoder().config().downscale());
}

ImageSize StableDiffusion::default_size() const {
    const std::int64_t side = unet_config_.sample_size.value_or(64) * decoder().config().downscale();
    return {side, side};
}

std::int64_t StableDiffusion::image_tokens(ImageSize size) const {
    const std::int64_t downscale = decoder().config().downscale();
    return (size.width / downscale) * (size.height / downscale);
}

double StableDiffusion::denoiser_bytes(ImageSize size) const {
    // Measured peaks are about 40 planes of the first level: skip connections, attention, feed-forward.
    return 48.0 * static_cast<double>(image_tokens(size) * unet_config_.levels.front().channels) *
           static_cast<double>(at::elementSize(options_.placement.dtype));
}

}  // namespace gass
