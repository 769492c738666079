#pragma once

#include "core/json.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace gass {

/// How far finished images lie apart as a guide sees them, for group.json: "vendi", "pairwise", "spp" with
/// its parts "d_dep" and "d_ind" (Eq. 4, on Algorithm 1's basis, drawn from `seed`), "clip_score" (the mean
/// cosine to the prompt), and where each image lies "along" the prompt and "across" it, on the group's first
/// principal axis. embeddings [B, d] and prompt [d] are unit vectors; null if an embedding is not finite.
Json spread_report(const at::Tensor& embeddings, const at::Tensor& prompt, std::uint64_t seed);

}  // namespace gass
