#pragma once

#include "io/image.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace gass {

/// [B, 3, H, W] in −1…1 → pictures, rounded as diffusers rounds.
std::vector<Image> to_images(const at::Tensor& images);
/// The other way, [1, 3, H, W].
at::Tensor from_image(const Image& image);

}  // namespace gass
