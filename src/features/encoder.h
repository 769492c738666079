#pragma once

#include "catalog/model.h"
#include "catalog/preprocessing.h"
#include "nn/parameters.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace gass {

struct EncoderRequest {
    std::string name;               // a known encoder, a model, or "pixels"
    std::int64_t resize_first = 0;  // makes every picture N×N by Lanczos first; 0: off
    bool clean = false;             // clean-fid's resizing, for an InceptionV3 of the fid form only
    bool classes = false;           // its logits without bias in place of features; for that form only, too
};

/// What is known of an encoder before its weights are read.
struct EncoderTraits {
    std::string name;  // as asked for
    std::string kind;  // "clip", "dinov2", "sscd", "inception", "inception-fid", "lpips" or "pixels"
    Preprocessing preprocessing;
    std::int64_t dimension = 0;
    std::optional<Model> model;  // "pixels" has none
    std::int64_t resize_first = 0;
    bool classes = false;
};

/// A network that turns pictures into rows of numbers, as the pipeline of its metrics does. Opening it checks
/// its files; weights are read when they are first used. Not for several threads at once.
class FeatureEncoder {
  public:
    virtual ~FeatureEncoder() = default;
    FeatureEncoder(const FeatureEncoder&) = delete;
    FeatureEncoder& operator=(const FeatureEncoder&) = delete;

    const std::string& name() const { return traits_.name; }
    const std::string& kind() const { return traits_.kind; }
    const Preprocessing& preprocessing() const { return traits_.preprocessing; }
    std::int64_t dimension() const { return traits_.dimension; }
    /// Whether a picture's features take more memory than the picture: they are for the moment, and not kept.
    bool is_wide() const { return traits_.dimension > kWidestKept; }
    /// Of the weights and what goes with them (catalog/fingerprint.h), made when first asked for; empty for
    /// "pixels".
    const std::string& fingerprint() const;
    /// Whether its features are logits, as EncoderRequest has it.
    bool gives_classes() const { return traits_.classes; }

    /// Preprocessed pictures [B, 3, H, W] → features [B, d], fp32 on the CPU, as the network gives them: not
    /// normalised, except by SSCD, which does that itself.
    virtual at::Tensor encode(const at::Tensor& pixels) const = 0;

    /// Whether there is a text encoder for the same space.
    virtual bool reads_text() const { return false; }
    /// → [d], fp32 on the CPU, not normalised. Throws usage where there is no text encoder.
    virtual at::Tensor encode_text(const std::string& prompt) const;

  protected:
    static constexpr std::int64_t kWidestKept = 1 << 15;
    explicit FeatureEncoder(EncoderTraits traits);
    const EncoderTraits& traits() const { return traits_; }

  private:
    EncoderTraits traits_;
    mutable std::string fingerprint_;
};

/// The class that the model's config names decides the kind. Throws usage for a model that encodes no
/// pictures, model_not_found with the way to get it for a known encoder that is missing.
std::unique_ptr<FeatureEncoder> open_encoder(const EncoderRequest& request, nn::Placement placement);

}  // namespace gass
