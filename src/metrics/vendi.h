#pragma once

#include "metrics/estimate.h"

#include <ATen/core/Tensor.h>

namespace gass {

// The Vendi score (Friedman and Dieng 2023): the exponential of the Rényi entropy of the eigenvalues of the
// similarities over n. Never below 1, all alike, nor above n, nothing in common.
//
// The order says how much rare kinds of images count: 0 all alike (the number of eigenvalues that are not 0),
// 1 by their share (Shannon's entropy, the usual score), infinity only the most common one (1 / the largest
// eigenvalue). An eigenvalue counts as 0 below max(n, d) · 2⁻⁵² of the largest, which is what rounding
// leaves: it would spoil orders below 1. Features all of zeros have a score of 1.
//
// A negative order, or NaN, is a usage error.

/// Of the cosines of the features [n, d], by the smaller one of their n×n and d×d matrices. A row of zeros is
/// like no image, not even itself.
double vendi(const at::Tensor& features, double order = 1);

/// With the influence of each image; of order 0 without.
Estimate vendi_estimate(const at::Tensor& features, double order = 1);

}  // namespace gass
