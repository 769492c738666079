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

/// A linear layer that is plain at first, at its best for gradients, and may be packed where many pictures
/// are only encoded.
class PackableLinear {
  public:
    PackableLinear() = default;
    PackableLinear(const Parameters& place, std::int64_t in, std::int64_t out, bool has_bias = true)
        : plain_(place, in, out, has_bias) {}

    void pack() {
        if (packed_) return;
        packed_.emplace(plain_);
        plain_ = {};
    }

    /// [..., in] → [..., out]
    at::Tensor operator()(const at::Tensor& x, std::optional<Activation> then = std::nullopt) const {
        if (packed_) return (*packed_)(x, then);
        return then ? activate(*then, plain_(x)) : plain_(x);
    }

  private:
    Linear plain_;
    std::optional<PackedLinear> packed_;
};

}  // namespace gass::nn
