#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

// Shapes in gass::sphere: B images' embeddings [B, d], of unit length; axes [d] or [k, d], of which only the
// direction counts. A group has at least one image.
namespace gass::sphere {

/// Rows of length 1, the paper's re-normalisation; a row of zeros stays one.
at::Tensor unit_vectors(const at::Tensor& vectors);

/// Eq. 2: e_i = projection_i · axis + residual_i
struct Decomposition {
    at::Tensor projections;  // [B]
    at::Tensor residuals;    // [B, d], orthogonal to the axis
};
Decomposition decompose(const at::Tensor& embeddings, const at::Tensor& axis);

/// The axis that a user names by two texts: the direction from one embedding [d] to the other, orthogonalised
/// against the prompt's. Nothing if they differ in no other way than the prompt's own direction.
std::optional<at::Tensor> named_axis(const at::Tensor& from, const at::Tensor& to, const at::Tensor& prompt);

}  // namespace gass::sphere
