#pragma once

#include "metrics/estimate.h"

#include <ATen/core/Tensor.h>

// Means of cosines; the features are normalised inside, and a row of zeros has a cosine of 0 to all.

namespace gass {

/// The mean cosine over all pairs of two different images. A usage error for fewer than two images.
Estimate mean_pairwise_similarity(const at::Tensor& features);

/// MSS: the mean of the whole matrix of cosines, each image's with itself included.
Estimate mean_similarity(const at::Tensor& features);

/// The mean cosine of each image to its text: images [n, d], texts [n, d], or one [d] for all of them. This
/// is the raw cosine, which the paper reports.
Estimate clip_score(const at::Tensor& images, const at::Tensor& texts);

/// CLIPScore as Hessel et al. (2021) write it: the mean of 2.5 max(cosine, 0).
Estimate weighted_clip_score(const at::Tensor& images, const at::Tensor& texts);

}  // namespace gass
