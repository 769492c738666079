#pragma once

#include "metrics/estimate.h"

#include <ATen/core/Tensor.h>

namespace gass {

/// The mean squared distance over all pairs of two different images: for LPIPS, whose rows of numbers are
/// made for that. Half of an image's influence, and the value, are what is between it and the others on
/// average. A usage error for fewer than two images.
Estimate mean_squared_distance(const at::Tensor& features);

/// Features [n, d] along at most n axes of their own: [n, min(n, d)], with the same products and distances.
at::Tensor along_own_axes(const at::Tensor& features);

}  // namespace gass
