#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace gass {

/// What a method sees of latents: the images they stand for, and where an encoder puts these and texts on its
/// unit sphere. Methods know no network beyond this, so any encoder can guide.
class Vision {
  public:
    virtual ~Vision() = default;
    Vision(const Vision&) = delete;
    Vision& operator=(const Vision&) = delete;

    /// [B, C, h, w] → [B, 3, H, W] in −1…1; differentiable when autograd is on.
    virtual at::Tensor decode(const at::Tensor& latents) const = 0;
    /// The inverse, likewise.
    virtual at::Tensor encode(const at::Tensor& images) const = 0;
    /// [B, 3, H, W] in −1…1 → unit vectors [B, d] in fp32, likewise.
    virtual at::Tensor embed(const at::Tensor& images) const = 0;
    /// → a unit vector [d].
    virtual at::Tensor embed_text(const std::string& text) const = 0;

  protected:
    Vision() = default;
};

}  // namespace gass
