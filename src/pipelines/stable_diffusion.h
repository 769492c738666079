#pragma once

#include "models/clip_text.h"
#include "models/unet2d.h"
#include "pipelines/backbone.h"
#include "text/tokenizer.h"

namespace gass {

/// Stable Diffusion 1.x and 2.x: a CLIP text encoder and a U-Net.
class StableDiffusion final : public Backbone {
  public:
    StableDiffusion(const Model& model, const BackboneOptions& options);

    at::Tensor predict(const at::Tensor& x, double timestep, const Condition& condition) const override;
    Condition encode(const std::string& text, const TextOptions& options) const override;
    std::vector<std::string> truncations(const std::string& text, const TextOptions& options) const override;

    bool predicts_flow() const override { return false; }
    std::int64_t latent_channels() const override { return unet_config_.in_channels; }
    std::int64_t size_multiple() const override;
    ImageSize default_size() const override;
    std::int64_t default_steps() const override { return 50; }
    double default_cfg_scale() const override { return 7.5; }
    std::int64_t image_tokens(ImageSize size) const override;
    double denoiser_bytes(ImageSize size) const override;
    void check(ImageSize size, const TextOptions& text) const override;
    void load() const override;
    void release_text_encoders() const override { text_encoder_.release(); }
    void release_denoiser() const override { unet_.release(); }

  private:
    std::unique_ptr<Tokenizer> tokenizer_;
    ClipTextConfig text_config_;
    UNet2dConfig unet_config_;
    Lazy<ClipText> text_encoder_;
    Lazy<UNet2d> unet_;
};

}  // namespace gass
