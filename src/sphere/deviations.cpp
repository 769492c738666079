#include "sphere/deviations.h"

#include <ATen/ATen.h>

namespace gass::sphere {

Deviations deviations(const at::Tensor& points, const at::Tensor& embeddings) {
    // A network in fp32 gives the same image twice with about this relative difference.
    constexpr double kRounding = 1e-6;
    // Not by the Gram matrix of the points: it squares the sizes, and loses half their digits.
    const auto [images, sizes, directions] =
        at::linalg_svd(points - points.mean(0, /*keepdim=*/true), /*full_matrices=*/false);
    const auto count = (sizes > kRounding * embeddings.norm()).sum().item<std::int64_t>();
    return {images.narrow(1, 0, count), sizes.narrow(0, 0, count), directions.narrow(0, 0, count)};
}

}  // namespace gass::sphere
