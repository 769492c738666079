#pragma once

#include "metrics/estimate.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace gass {

struct InceptionScoreOptions {
    std::int64_t splits = 10;
    std::uint32_t seed = 2020;  // of the order in which images come to their splits
};

struct InceptionScore {
    Estimate mean;                  // over the splits
    double standard_deviation = 0;  // over the splits
};

/// The Inception Score (Salimans et al. 2016) of a classifier's logits [n, classes]: the exponential of the
/// mean divergence of an image's classes from those of all images in its split. The splits are those of
/// torch-fidelity, which shuffles the images first.
///
/// More splits than images are a usage error.
InceptionScore inception_score(const at::Tensor& logits, const InceptionScoreOptions& options = {});

}  // namespace gass
