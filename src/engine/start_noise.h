#pragma once

#include "engine/request.h"

#include <ATen/core/Tensor.h>

namespace gass {

/// The unit noise of each image, [B, C, h, w]; `shape` is one image's, [1, C, h, w].
at::Tensor start_noise(const std::vector<std::uint64_t>& seeds, const std::optional<Variation>& variation,
                       at::IntArrayRef shape);

}  // namespace gass
