#pragma once

#include "sphere/axes.h"

#include <ATen/core/Tensor.h>

namespace gass::sphere {

/// Eq. 4: how far apart the outermost images of a group are, along the prompt and across it. Both are ranges,
/// and grow with the number of images.
struct Spread {
    double dependent;    // D_dep
    double independent;  // D_ind

    /// SPP
    double total() const { return dependent + independent; }
};
Spread spread(const at::Tensor& embeddings, const Basis& basis);

}  // namespace gass::sphere
