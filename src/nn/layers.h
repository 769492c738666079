#pragma once

#include "nn/parameters.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>

namespace gass::nn {

// Layers are values: tensors read once, a const call that is differentiable in its input. Names of tensors
// are those of torch.nn, which the published files use.

struct Linear {
    at::Tensor weight;  // [out, in]
    at::Tensor bias;    // [out], or undefined

    Linear() = default;
    Linear(const Parameters& place, std::int64_t in, std::int64_t out, bool has_bias = true);
    at::Tensor operator()(const at::Tensor& x) const;  // [..., in] → [..., out]
};

struct Conv2dOptions {
    std::int64_t kernel = 3;
    std::int64_t stride = 1;
    std::int64_t padding = 0;
    bool bias = true;
};

struct Conv2d {
    at::Tensor weight;  // [out, in, kernel, kernel]
    at::Tensor bias;    // [out], or undefined
    std::int64_t stride = 1;
    std::int64_t padding = 0;

    Conv2d() = default;
    Conv2d(const Parameters& place, std::int64_t in, std::int64_t out, const Conv2dOptions& options);
    at::Tensor operator()(const at::Tensor& x) const;  // [B, in, H, W] → [B, out, H', W']
};

/// Over the last dimension. Statistics are taken in fp32 whatever the type, as PyTorch does.
struct LayerNorm {
    at::Tensor weight;  // [size], or undefined without affine
    at::Tensor bias;
    std::int64_t size = 0;
    double epsilon = 1e-5;

    LayerNorm() = default;
    LayerNorm(const Parameters& place, std::int64_t width, double eps);
    /// Without weight and bias: nothing is read.
    LayerNorm(std::int64_t width, double eps) : size(width), epsilon(eps) {}
    at::Tensor operator()(const at::Tensor& x) const;
};

/// Divides by the root mean square over the last dimension, computed in fp32.
struct RmsNorm {
    at::Tensor weight;  // [size]
    double epsilon = 1e-6;

    RmsNorm() = default;
    RmsNorm(const Parameters& place, std::int64_t size, double eps);
    at::Tensor operator()(const at::Tensor& x) const;
};

struct GroupNorm {
    at::Tensor weight;  // [channels]
    at::Tensor bias;
    std::int64_t groups = 32;
    double epsilon = 1e-5;

    GroupNorm() = default;
    GroupNorm(const Parameters& place, std::int64_t channels, std::int64_t groups, double eps);
    at::Tensor operator()(const at::Tensor& x) const;  // [B, channels, ...]
};

struct Embedding {
    at::Tensor weight;  // [entries, width]

    Embedding() = default;
    Embedding(const Parameters& place, std::int64_t entries, std::int64_t width);
    at::Tensor operator()(const at::Tensor& ids) const;  // [...] → [..., width]
};

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
