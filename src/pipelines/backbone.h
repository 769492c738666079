#pragma once

#include "catalog/model.h"
#include "diffusion/denoiser.h"
#include "diffusion/scheduler_config.h"
#include "pipelines/latent_decoder.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gass {

struct ImageSize {
    std::int64_t width = 0;
    std::int64_t height = 0;
};

struct TextOptions {
    std::int64_t clip_skip = 0;              ///< layers of the CLIP text encoders to leave out
    std::int64_t max_sequence_length = 256;  ///< of T5
};

struct BackboneOptions {
    nn::Placement placement;
    bool vae_tiling = false;
    bool vae_slicing = false;
    bool no_t5 = false;
};

/// A text-to-image model: encodes prompts, denoises latents, decodes images. Immutable once opened; what a
/// generation changes lives outside.
class Backbone : public Denoiser {
  public:
    /// One text → one row. `clip_skip` is for the prompt only, as in diffusers.
    virtual Condition encode(const std::string& text, const TextOptions& options) const = 0;
    /// Network inputs for one text that cut a part of it off, in words for people.
    virtual std::vector<std::string> truncations(const std::string& text,
                                                 const TextOptions& options) const = 0;

    /// Whether the network predicts a flow; its scheduler must then be one for flows, and only then.
    virtual bool predicts_flow() const = 0;
    virtual std::int64_t latent_channels() const = 0;
    /// Width and height must be multiples of this.
    virtual std::int64_t size_multiple() const = 0;
    /// What diffusers' pipeline of this class takes when nobody says otherwise.
    virtual ImageSize default_size() const = 0;
    virtual std::int64_t default_steps() const = 0;
    virtual double default_cfg_scale() const = 0;
    /// Patches of the latents, which dynamic shifting goes by.
    virtual std::int64_t image_tokens(ImageSize size) const = 0;
    /// About what the denoiser needs for one row of a batch, beside its weights.
    virtual double denoiser_bytes(ImageSize size) const = 0;
    double denoiser_weight_bytes() const { return denoiser_weight_bytes_; }
    /// Of all networks that are used.
    double weight_bytes() const { return weight_bytes_; }

    const LatentDecoder& decoder() const { return decoder_; }
    const Json& scheduler_json() const { return scheduler_json_; }
    const std::string& scheduler_path() const { return scheduler_path_; }
    at::Device device() const { return options_.placement.device; }
    std::vector<std::int64_t> latent_shape(ImageSize size) const;

    /// Throws usage for what the networks cannot do: a size beyond the denoiser's although it is a multiple,
    /// more layers left out than the text encoders have.
    virtual void check(ImageSize size, const TextOptions& text) const = 0;
    /// Reads all networks now; otherwise each is read when it is first used.
    virtual void load() const = 0;
    /// Give memory back until the networks are used again.
    virtual void release_text_encoders() const = 0;
    virtual void release_denoiser() const = 0;

  protected:
    /// `denoiser` names its component.
    Backbone(const Model& model, std::string_view denoiser, const BackboneOptions& options);

    BackboneOptions options_;

  private:
    LatentDecoder decoder_;
    double denoiser_weight_bytes_ = 0;
    double weight_bytes_ = 0;
    Json scheduler_json_;
    std::string scheduler_path_;
};

/// Opens a pipeline by the class that model_index.json names.
std::unique_ptr<Backbone> open_backbone(const Model& model, const BackboneOptions& options);

}  // namespace gass
