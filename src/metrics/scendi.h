#pragma once

#include "metrics/estimate.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace gass {

/// The Scendi score (Ospanov et al. 2025): the diversity of images that their texts do not explain.
struct Scendi {
    Estimate score;      // of the part of the images' covariance that the texts leave over
    double removed = 0;  // the same of the part that the texts explain
};

struct ScendiOptions {
    double sigma = 3.5;               // of the Gaussian kernel
    std::int64_t frequencies = 2500;  // random Fourier features: a cosine and a sine of each
    std::uint64_t seed = 0;
};

/// Of texts and images [n, d], paired, as the encoder gives them: they are not normalised. The kernel's
/// features φ are random Fourier features with common frequencies. With C their covariances (not centred) and
/// S = C_yy − C_xyᵀ (C_xx + 10⁻¹² I)⁻¹ C_xy, the score is exp(−Σ λ ln(λ / Σλ)) over all eigenvalues λ of S,
/// none below 10⁻¹⁰.
Scendi scendi(const at::Tensor& texts, const at::Tensor& images, const ScendiOptions& options = {});

/// With given frequencies [d, m], already divided by σ.
Scendi scendi(const at::Tensor& texts, const at::Tensor& images, const at::Tensor& frequencies);

}  // namespace gass
