#pragma once

#include "catalog/model.h"
#include "loading/lazy.h"
#include "models/autoencoder_kl.h"

namespace gass {

struct DecoderOptions {
    nn::Placement placement;
    bool tiling = false;   ///< decode large images in overlapping tiles: less memory, faint differences
    bool slicing = false;  ///< decode one image at a time
};

/// Latents, in the range that the denoiser works in, to images and back. Includes the autoencoder's scale and
/// shift; differentiable when autograd is on.
class LatentDecoder {
  public:
    LatentDecoder(const ModelComponent& vae, const DecoderOptions& options);

    /// [B, C, h, w] → [B, 3, H, W] in −1…1 (not clamped), fp32.
    at::Tensor decode(const at::Tensor& latents) const;
    /// The inverse: [B, 3, H, W] in −1…1 → the mean of the posterior.
    at::Tensor encode(const at::Tensor& images) const;

    const AutoencoderKlConfig& config() const { return config_; }
    /// About what decoding one image of that many pixels takes beside the weights.
    double bytes_per_pixel() const;
    void load() const { vae_.get(); }
    void release() const { vae_.release(); }

  private:
    at::Tensor decode_tiled(const at::Tensor& codes) const;

    AutoencoderKlConfig config_;
    DecoderOptions options_;
    Lazy<AutoencoderKl> vae_;
};

}  // namespace gass
