#pragma once

#include "metrics/estimate.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

namespace gass {

/// A number about a set of images, and a confidence interval from resampled images, if there are enough.
struct Measured {
    double value = 0;
    std::optional<Interval> interval;
};

/// The paper's spread of a prompt's images (§3.3), of features [n, d] and the prompt's [d]; both are
/// normalised inside. Ranges grow with the number of images: only sets of equal size compare.
struct Spp {
    Measured spp;          // the sum of the next two
    Measured d_dep;        // the range of the images along the prompt
    Measured d_ind;        // the range across it
    Measured mean_cosine;  // between two images, which does not depend on their number
};

struct SppOptions {
    std::int64_t draws = 16;        // of random directions, that the ranges are the means of
    std::int64_t candidates = 10;   // directions in a draw, of which the dominant one counts: Algorithm 1
    std::uint64_t seed = 0;         // of the directions, and of the resampling
    std::int64_t resamples = 1000;  // of images, for the intervals; 0: none
};

/// Intervals from three images on. A usage error for fewer than two images, a prompt of another width, and
/// spaces of fewer than two dimensions.
Spp spp(const at::Tensor& images, const at::Tensor& prompt, const SppOptions& options = {});

/// With the first principal axis across the prompt instead of random ones: the values are the same for every
/// seed.
Spp principal_spp(const at::Tensor& images, const at::Tensor& prompt, const SppOptions& options = {});

}  // namespace gass
