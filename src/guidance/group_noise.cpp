#include "guidance/group_noise.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gass {
namespace {

/// The `count` lowest rows of the orthonormal cosine transform (DCT-II) of `length` numbers. [count, length]
at::Tensor cosine_modes(std::int64_t count, std::int64_t length) {
    const auto size = static_cast<double>(length);
    const at::Tensor mode = at::arange(count, at::kDouble).unsqueeze(1);
    const at::Tensor place = (at::arange(length, at::kDouble) + 0.5).unsqueeze(0);
    at::Tensor rows = (mode * place * (std::numbers::pi / size)).cos() * std::sqrt(2.0 / size);
    rows[0] *= std::numbers::sqrt2 / 2;
    return rows;
}

/// Without the part that all images share, by `amount`, and as large as before in expectation.
at::Tensor centred(const at::Tensor& coefficients, double amount) {
    const auto images = static_cast<double>(coefficients.size(0));
    const double variance = 1 - amount * (2 - amount) / images;
    return (coefficients - amount * coefficients.mean(0, /*keepdim=*/true)) / std::sqrt(variance);
}

/// The nearest group of vectors [B, C] to a centred one whose spread is the same in all the directions it
/// has, with the squared length that unit noise is expected to have.
at::Tensor evenly_placed(const at::Tensor& vectors) {
    const std::int64_t images = vectors.size(0);
    const std::int64_t rank = std::min(images - 1, vectors.size(1));
    const auto [left, sizes, right] = at::linalg_svd(vectors, /*full_matrices=*/false);
    // Where draws coincide there is no direction to even out; leave such a group as it is.
    if (sizes[rank - 1].item<double>() <= 1e-9 * sizes[0].item<double>()) return vectors;
    return left.narrow(1, 0, rank).matmul(right.narrow(0, 0, rank)) *
           std::sqrt(static_cast<double>(vectors.numel()) / static_cast<double>(rank));
}

}  // namespace

at::Tensor spread_noise(const at::Tensor& noise, const NoiseSpread& spread) {
    if (noise.size(0) < 2 || (spread.amount == 0.0 && spread.mean_scale == 1.0)) return noise;
    const at::Tensor exact = noise.to(at::kCPU, at::kDouble);
    const at::Tensor down = cosine_modes(std::min(spread.modes, noise.size(2)), noise.size(2));
    const at::Tensor across = cosine_modes(std::min(spread.modes, noise.size(3)), noise.size(3));
    const at::Tensor before = down.matmul(exact).matmul(across.t());
    at::Tensor after = centred(before, spread.amount);
    const at::Tensor means = after.select(3, 0).select(2, 0);
    const at::Tensor placed = evenly_placed(means - means.mean(0, /*keepdim=*/true));
    means.copy_((means + spread.amount * (placed - means)) * spread.mean_scale);
    const at::Tensor moved = exact + down.t().matmul(after - before).matmul(across);
    return moved.to(noise.options());
}

}  // namespace gass
