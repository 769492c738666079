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

/// What noise [B, C, h, w] is on its lowest cosine modes, and back.
class CoarseModes {
  public:
    CoarseModes(const at::Tensor& noise, std::int64_t modes)
        : exact_(noise.to(at::kCPU, at::kDouble)),
          down_(cosine_modes(std::min(modes, noise.size(2)), noise.size(2))),
          across_(cosine_modes(std::min(modes, noise.size(3)), noise.size(3))),
          coefficients_(down_.matmul(exact_).matmul(across_.t())) {}

    /// [B, C, modes, modes]
    const at::Tensor& coefficients() const { return coefficients_; }
    /// The noise with others in their place.
    at::Tensor replaced_by(const at::Tensor& coefficients, const at::TensorOptions& options) const {
        return (exact_ + down_.t().matmul(coefficients - coefficients_).matmul(across_)).to(options);
    }

  private:
    at::Tensor exact_;
    at::Tensor down_;
    at::Tensor across_;
    at::Tensor coefficients_;
};

}  // namespace

at::Tensor with_scaled_coarse_part(const at::Tensor& noise, std::int64_t modes, double scale) {
    if (scale == 1.0) return noise;
    const CoarseModes coarse(noise, modes);
    return coarse.replaced_by(scale * coarse.coefficients(), noise.options());
}

at::Tensor spread_noise(const at::Tensor& noise, const NoiseSpread& spread) {
    if (noise.size(0) < 2 || (spread.amount == 0.0 && spread.mean_scale == 1.0)) return noise;
    const CoarseModes coarse(noise, spread.modes);
    at::Tensor after = centred(coarse.coefficients(), spread.amount);
    const at::Tensor means = after.select(3, 0).select(2, 0);
    const at::Tensor placed = evenly_placed(means - means.mean(0, /*keepdim=*/true));
    means.copy_((means + spread.amount * (placed - means)) * spread.mean_scale);
    return coarse.replaced_by(after, noise.options());
}

}  // namespace gass
