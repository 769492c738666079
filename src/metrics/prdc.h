#pragma once

#include "metrics/estimate.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace gass {

/// How well generated images and real ones cover each other (Kynkäänniemi et al. 2019, Naeem et al. 2020). An
/// image's ball reaches to its k-th nearest neighbour in its own set, not counting itself.
struct Prdc {
    Estimate precision;  // the share of generated images in some real image's ball
    Estimate recall;    // the share of real images in some generated image's ball; influence of the real ones
    Estimate density;   // in how many real balls a generated image lies on average, over k
    Estimate coverage;  // the share of real balls with a generated image; influence of the real ones
};

/// Euclidean distances, decided as in fp64. `strict`: an image on the edge of a ball lies outside, as for the
/// package prdc; else inside, as for torch-fidelity. It matters for sets that have images in common.
///
/// A usage error unless k is 1 or more and less than the number of images in either set.
Prdc prdc(const at::Tensor& real, const at::Tensor& generated, std::int64_t k, bool strict = true);

}  // namespace gass
