#include "metrics/frechet.h"

#include "core/fail.h"
#include "metrics/features.h"
#include "metrics/gram.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <string_view>
#include <tuple>

namespace gass {
namespace {

constexpr const char* kGenerated = "the features of the Fréchet distance";

/// Calls `use(first, rows)` with the features less their mean, in fp64, a few rows at a time.
void in_centred_blocks(const at::Tensor& features, const at::Tensor& mean,
                       const std::function<void(std::int64_t, const at::Tensor&)>& use) {
    constexpr std::int64_t kRows = 4096;
    for (std::int64_t first = 0; first < features.size(0); first += kRows) {
        const std::int64_t rows = std::min(kRows, features.size(0) - first);
        const at::Tensor block = features.narrow(0, first, rows);
        // Always a copy, for the subtraction in place.
        use(first, block
                       .to(block.options().device(at::kCPU).dtype(at::kDouble), /*non_blocking=*/false,
                           /*copy=*/true)
                       .sub_(mean));
    }
}

void check_pair(const FeatureStatistics& a, const FeatureStatistics& b) {
    check_statistics(a, "the statistics of the features");
    check_statistics(b, "the reference statistics");
    if (a.mean.size(0) == b.mean.size(0)) return;
    fail(ErrorCode::usage, "Fréchet distance",
         "expected a reference of the same encoder, got {} features here and {} in the reference",
         a.mean.size(0), b.mean.size(0));
}

/// The directions of a covariance that have variance, and that variance.
struct Variances {
    at::Tensor values;      // [k]
    at::Tensor directions;  // [d, k]
};

Variances variances_of(const at::Tensor& covariance) {
    const auto [values, directions] = at::linalg_eigh(covariance);
    const double rounding = static_cast<double>(values.size(0)) * std::numeric_limits<double>::epsilon();
    const double least = std::max(values[-1].item<double>() * rounding, std::numeric_limits<double>::min());
    const auto count = (values > least).sum().item<std::int64_t>();
    return {values.narrow(0, values.size(0) - count, count),
            directions.narrow(1, values.size(0) - count, count)};
}

/// Σ^½ of the first, between the directions that vary and all.
at::Tensor half_of(const Variances& variances) {
    return variances.directions * variances.values.sqrt();
}

/// Its eigenvalues are those of Σ₁Σ₂ that are not 0.
at::Tensor symmetric_product(const at::Tensor& half, const at::Tensor& covariance) {
    const at::Tensor product = half.t().matmul(covariance.matmul(half));
    return (product + product.t()) / 2;
}

double distance(const FeatureStatistics& a, const FeatureStatistics& b, const at::Tensor& product_values) {
    const double shared = product_values.clamp_min(0).sqrt().sum().item<double>();
    const double own = (a.covariance.trace() + b.covariance.trace()).item<double>();
    return std::max(0.0, (a.mean - b.mean).square().sum().item<double>() + own - 2 * shared);
}

}  // namespace

void check_statistics(const FeatureStatistics& statistics, std::string_view name) {
    const at::Tensor& mean = statistics.mean;
    const at::Tensor& covariance = statistics.covariance;
    if (mean.dim() != 1 || mean.size(0) < 1 || covariance.dim() != 2 || covariance.size(0) != mean.size(0) ||
        covariance.size(1) != mean.size(0)) {
        fail(ErrorCode::model_invalid, name,
             "expected a mean [d] and a covariance [d, d] that belong together");
    }
    if (!mean.isfinite().all().item<bool>() || !covariance.isfinite().all().item<bool>()) {
        fail(ErrorCode::model_invalid, name, "expected finite statistics, some numbers are not");
    }
}

FeatureStatistics statistics_of(const at::Tensor& features) {
    check_features(features, kGenerated);
    const std::int64_t images = features.size(0);
    if (images < 2) fail(ErrorCode::usage, "Fréchet distance", "needs two images or more, got {}", images);
    const at::Tensor mean = features.detach().mean(0, /*keepdim=*/false, at::kDouble).to(at::kCPU);
    at::Tensor sums = at::zeros({features.size(1), features.size(1)}, at::kDouble);
    in_centred_blocks(features.detach(), mean,
                      [&](std::int64_t, const at::Tensor& rows) { add_upper_products(sums, rows); });
    sums.div_(static_cast<double>(images - 1));
    return {mean, sums.triu().add_(sums.triu(1).t()), images};
}

double frechet_distance(const FeatureStatistics& a, const FeatureStatistics& b) {
    check_pair(a, b);
    const at::Tensor half = half_of(variances_of(a.covariance));
    if (half.size(1) == 0) return distance(a, b, at::zeros({1}, at::kDouble));
    return distance(a, b, at::linalg_eigvalsh(symmetric_product(half, b.covariance)));
}

Estimate frechet_estimate(const at::Tensor& features, const FeatureStatistics& reference) {
    const FeatureStatistics own = statistics_of(features);
    check_pair(own, reference);
    const Variances variances = variances_of(own.covariance);
    const auto [values, vectors] =
        at::linalg_eigh(symmetric_product(half_of(variances), reference.covariance));
    // T = G · diag(√values) · Gᵀ
    const at::Tensor transport = (variances.directions / variances.values.sqrt()).matmul(vectors);
    const at::Tensor roots = values.clamp_min(0).sqrt();
    const at::Tensor apart = 2 * (own.mean - reference.mean);
    at::Tensor contributions = at::empty({features.size(0)}, at::kDouble);
    in_centred_blocks(features.detach(), own.mean, [&](std::int64_t first, const at::Tensor& rows) {
        contributions.narrow(0, first, rows.size(0))
            .copy_(rows.mv(apart) + rows.square().sum(1) - rows.matmul(transport).square().mv(roots));
    });
    return estimate_of(distance(own, reference, values.numel() == 0 ? at::zeros({1}, at::kDouble) : values),
                       contributions);
}

}  // namespace gass
