#pragma once

#include "metrics/estimate.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>

namespace gass {

/// What the Fréchet distance knows of a set of images. fp64 on the CPU
struct FeatureStatistics {
    at::Tensor mean;         // [d]
    at::Tensor covariance;   // [d, d], unbiased: over n − 1
    std::int64_t count = 0;  // of images; 0 if unknown
};

/// Throws model_invalid, as `name`, unless mean and covariance belong together and are finite.
void check_statistics(const FeatureStatistics& statistics, std::string_view name);

/// Of features [n, d]; a usage error for fewer than two images.
FeatureStatistics statistics_of(const at::Tensor& features);

/// FID (Heusel et al. 2017), the squared 2-Wasserstein distance of two Gaussians: ‖μ₁ − μ₂‖² + tr(Σ₁ + Σ₂ −
/// 2 (Σ₁Σ₂)^½). For singular covariances too, so for fewer images than features. What rounding leaves below 0
/// is 0.
double frechet_distance(const FeatureStatistics& a, const FeatureStatistics& b);

/// The distance of the features to a reference, with the influence of each image: 2 (μ − μᵣ)·(x − μ) +
/// (x − μ)ᵀ (I − T) (x − μ) less its mean, T the linear part of the optimal transport map to the reference.
Estimate frechet_estimate(const at::Tensor& features, const FeatureStatistics& reference);

}  // namespace gass
