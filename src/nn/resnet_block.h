#pragma once

#include "nn/functions.h"
#include "nn/layers.h"
#include "nn/parameters.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

namespace gass::nn {

// The convolutional parts that diffusers' autoencoders and U-Nets share. On the CPU their weights lie
// channels-last, and activations follow: oneDNN's kernels want that order, and [B, C, H, W] → [B, H·W, C]
// becomes a view.

/// 3×3, keeps height and width unless it strides.
Conv2d conv3x3(const Parameters& place, std::int64_t in, std::int64_t out, std::int64_t stride = 1,
               std::int64_t padding = 1);
Conv2d conv1x1(const Parameters& place, std::int64_t in, std::int64_t out);

struct ResnetOptions {
    std::int64_t groups = 32;
    double epsilon = 1e-6;
    Activation activation = Activation::silu;
    std::int64_t time_channels = 0;  // 0: without time
    double output_scale = 1.0;       // the sum of both paths is divided by it
};

/// diffusers' ResnetBlock2D with `time_embedding_norm="default"`.
class ResnetBlock {
  public:
    ResnetBlock(const Parameters& place, std::int64_t in, std::int64_t out, const ResnetOptions& options);
    /// `time` is the activated time embedding [B, time_channels], undefined without time.
    /// [B, in, H, W] → [B, out, H, W]
    at::Tensor operator()(const at::Tensor& x, const at::Tensor& time = {}) const;

  private:
    GroupNorm norm1_;
    Conv2d conv1_;
    std::optional<Linear> time_emb_proj_;
    GroupNorm norm2_;
    Conv2d conv2_;
    std::optional<Conv2d> conv_shortcut_;
    Activation activation_;
    double output_scale_;
};

/// diffusers' Downsample2D: a convolution of stride 2. Padding 0 means a row below and a column to the right.
class Downsample {
  public:
    Downsample(const Parameters& place, std::int64_t channels, std::int64_t padding);
    at::Tensor operator()(const at::Tensor& x) const;  // [B, C, H, W] → [B, C, ~H/2, ~W/2]

  private:
    Conv2d conv_;
};

/// diffusers' Upsample2D: nearest neighbour, then a convolution.
class Upsample {
  public:
    Upsample(const Parameters& place, std::int64_t channels);
    at::Tensor operator()(const at::Tensor& x, std::int64_t height, std::int64_t width) const;

  private:
    at::Tensor doubled(const at::Tensor& x) const;

    Conv2d conv_;
    std::optional<Conv2d> folded_;  // [4·C, C, 2, 2]; on the CPU, where multiplications are what it costs
};

}  // namespace gass::nn
