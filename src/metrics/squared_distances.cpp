#include "metrics/squared_distances.h"

#include "core/fail.h"
#include "metrics/features.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstdint>

namespace gass {

Estimate mean_squared_distance(const at::Tensor& features) {
    const at::Tensor rows = exact_features(features, "the features of the mean distance");
    const auto images = static_cast<double>(rows.size(0));
    if (rows.size(0) < 2)
        fail(ErrorCode::usage, "mean distance", "needs two images or more, got {}", rows.size(0));
    // Around their mean the products with all others add up to nothing.
    const at::Tensor squares = (rows - rows.mean(0)).square_().sum(1);
    const at::Tensor to_others = (images * squares + squares.sum()) / (images - 1);
    return estimate_of(to_others.mean().item<double>(), 2 * to_others);
}

at::Tensor along_own_axes(const at::Tensor& features) {
    check_features(features, "the features of the mean distance");
    const std::int64_t images = features.size(0);
    const std::int64_t width = features.size(1);
    if (images >= width) return features;
    constexpr std::int64_t kColumns = 1 << 14;  // in fp64 all of them would take twice the memory again
    at::Tensor products = at::zeros({images, images}, at::kDouble);
    for (std::int64_t first = 0; first < width; first += kColumns) {
        const at::Tensor part = features.narrow(1, first, std::min(kColumns, width - first)).to(at::kDouble);
        products.addmm_(part, part.t());
    }
    const auto [squares, axes] = at::linalg_eigh(products);
    return axes * squares.clamp_min(0).sqrt();
}

}  // namespace gass
