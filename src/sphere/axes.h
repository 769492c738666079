#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace gass::sphere {

/// The two orthogonal directions [d] that the paper measures and expands along; §3.3's B = {e_t, u_ind}.
struct Basis {
    at::Tensor dependent;
    at::Tensor independent;
};

/// Algorithm 1's candidates: random directions, uniform on the sphere, orthogonal to the prompt and to each
/// other. [count, d], or all d − 1 there are.
at::Tensor residual_candidates(const at::Tensor& prompt, std::int64_t count, at::Generator generator);

/// Eq. 3: the candidate with the largest mean absolute projection; the first of equal ones. [d]
at::Tensor dominant_candidate(const at::Tensor& embeddings, const at::Tensor& candidates);

/// Algorithm 1. The space must have two dimensions or more, here and below.
Basis dominant_basis(const at::Tensor& embeddings, const at::Tensor& prompt, std::int64_t candidates,
                     at::Generator generator);

/// The ablation RD: e_t, and any direction orthogonal to it.
Basis random_direction_basis(const at::Tensor& prompt, at::Generator generator);

/// The ablation IP: two orthogonal directions that know nothing of the prompt, but its shape.
Basis isotropic_basis(const at::Tensor& prompt, at::Generator generator);

/// Directions of the largest variance across the prompt.
struct PrincipalAxes {
    at::Tensor directions;  // [k, d], orthonormal, orthogonal to the prompt; largest component positive
    at::Tensor energies;    // [k], the group's variance (Σ² / B) along each, descending
};

/// The first `count` right singular vectors of the centred residuals; fewer if the group varies in fewer
/// directions: B images in at most B − 1, one image or equal ones in none.
PrincipalAxes principal_axes(const at::Tensor& embeddings, const at::Tensor& prompt, std::int64_t count);

/// Where the images lie on the first of these axes; at 0 if the group varies in no direction. [B]
at::Tensor on_first_axis(const at::Tensor& embeddings, const at::Tensor& prompt);

}  // namespace gass::sphere
