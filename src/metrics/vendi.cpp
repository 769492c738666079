#include "metrics/vendi.h"

#include "core/fail.h"
#include "metrics/features.h"
#include "metrics/gram.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>

namespace gass {
namespace {

constexpr const char* kVendi = "Vendi";
constexpr const char* kWhose = "the features of the Vendi score";

/// Closer to 1, the general formula divides two numbers that are mere rounding.
constexpr double kAlmostOne = 1e-8;

bool is_shannon(double order) {
    return std::abs(order - 1) < kAlmostOne;
}

void check_order(double order) {
    if (order >= 0) return;
    fail(ErrorCode::usage, kVendi, "expected an order of 0 or more, or infinity, got {}", order);
}

double rounding(const at::Tensor& matrix) {
    return static_cast<double>(std::max(matrix.size(0), matrix.size(1))) *
           std::numeric_limits<double>::epsilon();
}

/// Ascending eigenvalues without those that are mere rounding.
at::Tensor non_zero(const at::Tensor& values, double relative_rounding) {
    const double largest = values[-1].item<double>();
    return values.masked_select((values > relative_rounding * largest).logical_and(values > 0));
}

double unbounded_score(const at::Tensor& values, double order) {
    if (values.numel() == 0) return 1;
    if (order == 0) return static_cast<double>(values.numel());
    if (is_shannon(order)) return at::special_entr(values).sum().exp().item<double>();
    const double largest = values[-1].item<double>();
    if (std::isinf(order)) return 1 / largest;
    const double log_sum =
        order * std::log(largest) + (values / largest).pow(order).sum().log().item<double>();
    return std::exp(log_sum / (1 - order));
}

double score(const at::Tensor& values, double order, std::int64_t images) {
    return std::clamp(unbounded_score(values, order), 1.0, static_cast<double>(images));
}

/// n times the derivative of the score by the weight of each image, up to a constant. `energies` [n, k]: the
/// squares of the images' coordinates along the eigenvectors of `values`.
at::Tensor derivative(const at::Tensor& values, const at::Tensor& energies, double order, double result) {
    if (is_shannon(order)) return energies.mv(values.log() + 1) * -result;
    if (std::isinf(order)) return energies.select(1, -1) * -(result * result);
    const at::Tensor shares = values / values[-1];
    const at::Tensor slopes = shares.pow(order - 1) / (values[-1] * shares.pow(order).sum());
    return energies.mv(slopes) * (order / (1 - order) * result);
}

/// The smaller one of the two matrices with the same eigenvalues, on and above the diagonal.
at::Tensor small_gram(const at::Tensor& points) {
    const bool dual = points.size(0) > points.size(1);
    const std::int64_t size = std::min(points.size(0), points.size(1));
    at::Tensor sums = at::zeros({size, size}, at::kDouble);
    add_upper_products(sums, dual ? points : points.t());
    return sums.div_(static_cast<double>(points.size(0)));
}

}  // namespace

double vendi(const at::Tensor& features, double order) {
    check_order(order);
    const at::Tensor points = unit_features(features, kWhose);
    return score(non_zero(at::linalg_eigvalsh(small_gram(points), "U"), rounding(points)), order,
                 points.size(0));
}

Estimate vendi_estimate(const at::Tensor& features, double order) {
    check_order(order);
    if (order == 0) return {vendi(features, order), {}};
    const at::Tensor points = unit_features(features, kWhose);
    const auto [all_values, vectors] = at::linalg_eigh(small_gram(points), "U");
    const at::Tensor values = non_zero(all_values, rounding(points));
    const double result = score(values, order, points.size(0));
    if (values.numel() == 0) return {result, {}};
    const at::Tensor kept = vectors.narrow(1, vectors.size(1) - values.numel(), values.numel());
    const bool dual = points.size(0) > points.size(1);
    const at::Tensor energies =
        dual ? points.matmul(kept).square() : kept.square() * values * static_cast<double>(points.size(0));
    return estimate_of(result, derivative(values, energies, order, result));
}

}  // namespace gass
