#pragma once

#include <ATen/core/Tensor.h>

// How much a set of images differs, from their unit embeddings [B, d] by any encoder.

namespace gass {

/// The Vendi score (Friedman and Dieng 2023): the exponential of the entropy of the eigenvalues of the cosine
/// similarities over B. From 1, all alike, to B, nothing in common.
double vendi(const at::Tensor& embeddings);

/// The mean of 1 − cosine over all pairs; 0 for one image.
double mean_pairwise_distance(const at::Tensor& embeddings);

}  // namespace gass
