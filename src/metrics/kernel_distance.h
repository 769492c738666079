#pragma once

#include "metrics/estimate.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace gass {

struct KernelDistanceOptions {
    std::int64_t subsets = 100;
    std::int64_t subset_size = 1000;
    std::uint32_t seed = 2020;
};

struct KernelDistance {
    Estimate mean;                  // over the subsets; its influence is that of the generated images
    double standard_deviation = 0;  // over the subsets
};

/// KID (Bińkowski et al. 2018): the unbiased squared maximum mean discrepancy of the kernel (x·y / d + 1)³,
/// over random subsets of both sets. The subsets, and so the values, are those of torch-fidelity with the
/// generated images as its first input. Slightly negative for sets that are very alike.
///
/// A subset size beyond a set, or below 2, is a usage error.
KernelDistance kernel_distance(const at::Tensor& generated, const at::Tensor& reference,
                               const KernelDistanceOptions& options = {});

}  // namespace gass
