#pragma once

#include "models/clip_text.h"
#include "models/mmdit.h"
#include "models/t5.h"
#include "pipelines/backbone.h"
#include "text/tokenizer.h"

#include <array>
#include <optional>

namespace gass {

/// Stable Diffusion 3 and 3.5: two CLIP text encoders, T5 if it is there, and a multimodal transformer that
/// predicts a flow.
class StableDiffusion3 final : public Backbone {
  public:
    StableDiffusion3(const Model& model, const BackboneOptions& options);

    at::Tensor predict(const at::Tensor& x, double timestep, const Condition& condition) const override;
    Condition encode(const std::string& text, const TextOptions& options) const override;
    std::vector<std::string> truncations(const std::string& text, const TextOptions& options) const override;

    bool predicts_flow() const override { return true; }
    std::int64_t latent_channels() const override { return config_.in_channels; }
    std::int64_t size_multiple() const override {
        return decoder().config().downscale() * config_.patch_size;
    }
    ImageSize default_size() const override;
    std::int64_t default_steps() const override { return 28; }
    double default_cfg_scale() const override { return 7.0; }
    std::int64_t image_tokens(ImageSize size) const override;
    double denoiser_bytes(ImageSize size) const override;
    void check(ImageSize size, const TextOptions& text) const override;
    void load() const override;
    void release_text_encoders() const override;
    void release_denoiser() const override { transformer_.release(); }

  private:
    struct ClipEncoder {
        std::unique_ptr<Tokenizer> tokenizer;
        ClipTextConfig config;
        Lazy<ClipText> network;
    };
    struct T5 {
        std::unique_ptr<Tokenizer> tokenizer;
        Lazy<T5Encoder> network;
    };
    ClipEncoder open_clip(const Model& model, const std::string& suffix) const;
    /// [1, length, joint_attention_dim]; zeros without T5.
    at::Tensor encode_t5(const std::string& text, std::int64_t length) const;

    MmditConfig config_;
    std::array<ClipEncoder, 2> clip_;
    std::optional<T5> t5_;
    Lazy<Mmdit> transformer_;
};

}  // namespace gass
