#pragma once

#include "nn/parameters.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>

namespace gass::nn {

struct NormedConv2dOptions {
    std::array<std::int64_t, 2> kernel{3, 3};
    std::int64_t stride = 1;
    std::array<std::int64_t, 2> padding{0, 0};
    double epsilon = 1e-5;  // of the norm
};

/// A convolution without bias and the batch norm behind it, in evaluation: one affine map after another, so
/// the norm is folded into the convolution's weight and bias.
struct NormedConv2d {
    at::Tensor weight;  // [out, in, kernel, kernel]
    at::Tensor bias;    // [out]
    std::int64_t stride = 1;
    std::array<std::int64_t, 2> padding{0, 0};

    NormedConv2d() = default;
    NormedConv2d(const Parameters& conv, const Parameters& norm, std::int64_t in, std::int64_t out,
                 const NormedConv2dOptions& options);
    at::Tensor operator()(const at::Tensor& x) const;  // [B, in, H, W] → [B, out, H', W']
};

}  // namespace gass::nn
