#pragma once

#include "nn/packed_linear.h"

#include <optional>

namespace gass::nn {

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
