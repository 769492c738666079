#pragma once

#include "nn/functions.h"
#include "nn/layers.h"

#include <ATen/core/Tensor.h>

#include <optional>

namespace gass::nn {

/// A linear layer on a denoiser's hot path, with an activation behind it if wanted. On the CPU its weight
/// lies in oneDNN's own layout, which is a tenth faster than MKL's plain one and applies the activation while
/// a value is still in a register; on a GPU cuBLAS does the same for GELU.
class PackedLinear {
  public:
    PackedLinear() = default;
    explicit PackedLinear(const Linear& plain);

    /// [..., in] → [..., out]. Differentiable, then at the plain layer's speed or below.
    at::Tensor operator()(const at::Tensor& x, std::optional<Activation> then = std::nullopt) const;

  private:
    at::Tensor weight_;  // [out, in]; in oneDNN's layout if `packed_`
    at::Tensor bias_;    // [out], or undefined
    bool packed_ = false;
};

}  // namespace gass::nn
