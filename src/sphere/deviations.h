#pragma once

#include <ATen/core/Tensor.h>

namespace gass::sphere {

/// How a group differs from its mean: points − mean = images · diag(sizes) · directions, without the
/// directions along which it does not differ. At most B − 1 of them, none for one image or equal ones.
struct Deviations {
    at::Tensor images;      // [B, k], orthonormal columns
    at::Tensor sizes;       // [k], descending, positive; size² / B is the variance along the direction
    at::Tensor directions;  // [k, d], orthonormal rows
};

/// Of points that exact() returned. `embeddings` are what the points were made of: their length says which
/// deviations are mere rounding.
Deviations deviations(const at::Tensor& points, const at::Tensor& embeddings);

}  // namespace gass::sphere
