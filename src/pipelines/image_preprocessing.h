#pragma once

#include "catalog/preprocessor_config.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace gass {

/// How a CLIP that guides wants its images. The defaults are OpenAI's.
struct ImagePreprocessing {
    std::int64_t shortest_edge = 224;
    std::int64_t crop = 224;
    std::array<double, 3> mean{0.48145466, 0.4578275, 0.40821073};
    std::array<double, 3> deviation{0.26862954, 0.26130258, 0.27577711};

    /// Refuses what this class does not do: other filters, steps that are left out, sizes without an aspect.
    static ImagePreprocessing from(const PreprocessorConfig& config, std::string_view where);

    /// [B, 3, H, W] in −1…1 → [B, 3, crop, crop], normalised: the shorter side resized, the middle cut out.
    /// Differentiable.
    at::Tensor operator()(const at::Tensor& images) const;
};

/// Pillow's antialiased bicubic filter, which is also `interpolate(mode="bicubic", antialias=True)`, without
/// Pillow's rounding to whole levels. As matrix products: their gradient is the same every time on a GPU too.
at::Tensor resize_bicubic(const at::Tensor& images, std::int64_t height, std::int64_t width);

}  // namespace gass
