#include "metrics/features.h"

#include "core/fail.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstdint>

namespace gass {
namespace {

constexpr std::int64_t kRowsAtOnce = 4096;

void fail_at_bad_row(const at::Tensor& features, std::string_view name) {
    for (std::int64_t first = 0; first < features.size(0); first += kRowsAtOnce) {
        const std::int64_t rows = std::min(kRowsAtOnce, features.size(0) - first);
        const at::Tensor bad = features.narrow(0, first, rows).isfinite().all(1).logical_not();
        if (!bad.any().item<bool>()) continue;
        fail(ErrorCode::model_invalid, name,
             "expected finite features, row {} of {} has a number that is not; compute the features again in "
             "a wider type, or remove that row",
             first + bad.to(at::kByte).argmax().item<std::int64_t>(), features.size(0));
    }
}

}  // namespace

void check_features(const at::Tensor& features, std::string_view name) {
    if (!features.defined() || features.dim() != 2 || features.size(0) < 1 || features.size(1) < 1) {
        fail(ErrorCode::usage, name, "expected features of one image or more, one row for each; got none");
    }
    if (!features.is_floating_point()) {
        fail(ErrorCode::usage, name, "expected features of a floating type, got {}",
             at::toString(features.scalar_type()));
    }
    // A number that is not finite makes its row's sum so; the other way round only for enormous ones.
    if (!features.detach().sum(1, /*keepdim=*/false, at::kDouble).isfinite().all().item<bool>()) {
        fail_at_bad_row(features.detach(), name);
    }
}

void check_same_width(const at::Tensor& a, std::string_view a_name, const at::Tensor& b,
                      std::string_view b_name) {
    if (a.size(1) == b.size(1)) return;
    fail(ErrorCode::usage, a_name,
         "expected features of one encoder, got {} numbers for each image here and {} for each of {}",
         a.size(1), b.size(1), b_name);
}

at::Tensor exact_features(const at::Tensor& features, std::string_view name) {
    check_features(features, name);
    return features.detach().to(at::kCPU, at::kDouble).contiguous();
}

at::Tensor unit_features(const at::Tensor& features, std::string_view name) {
    const at::Tensor rows = exact_features(features, name);
    const at::Tensor lengths = rows.norm(2, 1, /*keepdim=*/true);
    constexpr double kExtreme = 1e140;  // beyond it squares overflow, or vanish
    if (lengths.max().item<double>() < kExtreme && lengths.min().item<double>() > 1 / kExtreme)
        return rows / lengths;
    const at::Tensor largest = rows.abs().amax(1, /*keepdim=*/true);
    at::Tensor scaled = rows / largest.masked_fill(largest == 0, 1.0);
    const at::Tensor scaled_lengths = scaled.norm(2, 1, /*keepdim=*/true);
    return scaled.div_(scaled_lengths.masked_fill(scaled_lengths == 0, 1.0));
}

}  // namespace gass
