#pragma once

#include <ATen/core/Tensor.h>

// How latents follow wanted moves of their embeddings without a gradient: as the group's own latents differ
// where their embeddings differ. A move stays in the span of what the model itself made, so it cannot be
// adversarial.
namespace gass::sphere {

/// α [B, B], fp64 on the CPU, with Σ_j α_ij (e_j − ē) ≈ move_i: the ridge regression of the wanted moves [B,
/// d] on the group's deviations. `ridge` is relative to the mean eigenvalue of their Gram matrix; at 0
/// directions in which the group does not differ are left out. All 0 for one image, and for equal ones.
///
/// If the moves leave the mean embedding in place, Σ_i α_ij = 0. If they are γ times the deviations and these
/// have B − 1 dimensions, α (z − z̄) = γ (z − z̄) at ridge 0.
at::Tensor ensemble_coefficients(const at::Tensor& embeddings, const at::Tensor& moves, double ridge);

/// move_i = Σ_j α_ij (z_j − z̄), of latents [B, …] on their device. Latents that are not finite give moves
/// that are not.
at::Tensor ensemble_moves(const at::Tensor& coefficients, const at::Tensor& latents);

/// Each image's move, shortened to at most `radius` · ‖z_i‖. The mean may move then: images are shortened
/// differently.
at::Tensor in_trust_region(const at::Tensor& moves, const at::Tensor& latents, double radius);

}  // namespace gass::sphere
