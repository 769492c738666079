#pragma once

#include "metrics/estimate.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace gass {

/// The Image Retrieval Score (Dombrowski et al. 2024): what share of a reference set generated images bring
/// back, each as its nearest image.
struct Irs {
    std::int64_t references = 0;  // N
    std::int64_t generated = 0;   // n
    std::int64_t retrieved = 0;   // k distinct nearest references

    double at_alpha = 0;     // k / N, for α = n / N: grows with n
    double at_infinity = 0;  // ŝ / N, the share that endless images would bring back
    Interval interval;       // of that: outside it, k would be 5 % likely or less from below, and from above
};

/// Euclidean distances; of equally near references the first.
Irs image_retrieval_score(const at::Tensor& reference, const at::Tensor& generated);

/// From the counts alone. The model: n images drawn evenly from s learned ones show k distinct ones with the
/// probability S₂(n, k) s! / ((s − k)! sⁿ), S₂ Stirling's numbers by Temme's approximation; ŝ, in k … N,
/// makes it largest.
Irs retrieval_score_of(std::int64_t references, std::int64_t generated, std::int64_t retrieved);

}  // namespace gass
