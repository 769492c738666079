#pragma once

#include "guidance/method_setup.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace gass {

/// How a radial kernel drives points [N, D] apart, as Particle Guidance has it (Corso et al. 2024):
/// G_i = Σ_{j≠i} 2 k_ij (p_i − p_j) / h_i with k_ij = exp(−‖p_i − p_j‖² / h_i), where h_i = m² / ln(N − 1)
/// and m is the (lower) median distance of the others, held constant. Zero for fewer than three points, which
/// have no such bandwidth, and for one whose neighbours coincide with it.
at::Tensor kernel_repulsion(const at::Tensor& points);

/// ∂/∂z Σ_i ⟨f_i, w_i⟩ for latents z [B, C, h, w] whose images have the embeddings f: how latents have to
/// change for their embeddings to move along w [B, d]. So many at a time; zero where nothing depends on z.
at::Tensor pulled_back(const MethodSetup& setup, const at::Tensor& latents, const at::Tensor& directions);

/// The embeddings of latents' images. [B, d]
at::Tensor embeddings_of(const MethodSetup& setup, const at::Tensor& latents);

}  // namespace gass
