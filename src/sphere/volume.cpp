#include "sphere/volume.h"

#include "sphere/deviations.h"
#include "sphere/precision.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace gass::sphere {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

at::Tensor squared_lengths(const at::Tensor& rows) {
    return rows.square().sum(1);
}

/// Where the largest number is; the first place of those that differ by rounding only.
std::int64_t first_largest(const at::Tensor& numbers) {
    const at::Tensor largest = numbers.max();
    return (numbers >= largest - 1e-12 * largest.abs()).nonzero()[0].item<std::int64_t>();
}

/// The heights of all points over the affine hull of those chosen so far. A simplex' volume is the product of
/// the heights at which its points were added: each choice is a pivot of the Cholesky decomposition of the
/// edges' Gram matrix.
class Heights {
  public:
    Heights(const at::Tensor& points, std::int64_t first, std::int64_t count)
        : edges_(points - points.select(0, first)),
          squares_(squared_lengths(edges_)),
          columns_(at::empty({count, points.size(0)}, at::kDouble)) {
        // Far below any height that counts, far above what rounding leaves of 0.
        squares_ += 1e-8 * squares_.mean();
        squares_[first] = -kInfinity;
    }

    std::int64_t highest() const { return first_largest(squares_); }

    void add(std::int64_t chosen) {
        const double pivot = squares_[chosen].item<double>();
        squares_[chosen] = -kInfinity;
        if (pivot <= 0) return;  // all points are one
        const at::Tensor earlier = columns_.narrow(0, 0, used_);
        const at::Tensor products = edges_.mv(edges_.select(0, chosen));
        columns_[used_] = (products - earlier.t().mv(earlier.select(1, chosen))) / std::sqrt(pivot);
        squares_ -= columns_[used_].square();
        ++used_;
    }

  private:
    at::Tensor edges_;    // [M, d], from the first chosen point
    at::Tensor squares_;  // [M], with the ridge; −∞ for the chosen
    at::Tensor columns_;  // [count, M], of the Cholesky factor
    std::int64_t used_ = 0;
};

/// Rows of `points`, beside whose first `given` rows others are chosen.
std::vector<std::int64_t> chosen_of(const at::Tensor& points, std::int64_t count, std::int64_t given) {
    std::vector<std::int64_t> chosen(static_cast<std::size_t>(given));
    std::iota(chosen.begin(), chosen.end(), 0);
    if (count == given) return chosen;
    if (given == 0) {
        const at::Tensor from_mean = points - points.mean(0, /*keepdim=*/true);
        chosen.push_back(first_largest(squared_lengths(from_mean)));
    }
    Heights heights(points, chosen.front(), count);
    for (std::int64_t i = 1; i < given; ++i) heights.add(i);
    while (std::ssize(chosen) < count) {
        chosen.push_back(heights.highest());
        heights.add(chosen.back());
    }
    return chosen;
}

}  // namespace

double log_volume(const at::Tensor& points) {
    const at::Tensor rows = exact(points);
    const at::Tensor sizes = deviations(rows, rows).sizes;
    const std::int64_t count = rows.size(0);
    if (sizes.size(0) < count - 1) return -kInfinity;
    // det(AᵀA) = B · Π sizes²: edges are centred points in other coordinates, and those have determinant √B.
    const auto n = static_cast<double>(count);
    return 0.5 * std::log(n) + sizes.log().sum().item<double>() - std::lgamma(n);
}

at::Tensor largest_volume_subset(const at::Tensor& points, std::int64_t count,
                                 const std::optional<at::Tensor>& admissible,
                                 const std::optional<at::Tensor>& given) {
    const at::Tensor candidates = admissible ? admissible->to(at::kCPU, at::kBool).nonzero().squeeze(1)
                                             : at::arange(points.size(0), at::kLong);
    const at::Tensor looked_at = exact(points.index_select(0, candidates.to(points.device())));
    const std::int64_t possible = std::min(count, looked_at.size(0));
    const std::int64_t before = given ? given->size(0) : 0;
    const std::vector<std::int64_t> rows =
        chosen_of(before > 0 ? at::cat({exact(*given), looked_at}) : looked_at, before + possible, before);
    return candidates.index_select(0, at::tensor(rows, at::kLong).slice(0, before) - before);
}

}  // namespace gass::sphere
