#include "metrics/spp.h"

#include "core/fail.h"
#include "metrics/features.h"
#include "metrics/similarity.h"
#include "sphere/axes.h"
#include "tensor/random.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace gass {
namespace {

constexpr double kLevel = 0.95;

struct Group {
    at::Tensor images;  // [n, d], unit
    at::Tensor prompt;  // [d], unit
};

Group checked_group(const at::Tensor& images, const at::Tensor& prompt, const SppOptions& options) {
    if (options.draws < 1 || options.candidates < 1 || options.resamples < 0) {
        fail(
            ErrorCode::usage, "SPP",
            "expected one draw or more of one candidate or more, and no fewer than 0 resamples, got {} of {} "
            "and {}",
            options.draws, options.candidates, options.resamples);
    }
    const at::Tensor points = unit_features(images, "the images of SPP");
    const at::Tensor direction = unit_features(prompt.reshape({1, -1}), "the prompt of SPP");
    check_same_width(points, "the images of SPP", direction, "the prompt");
    if (points.size(0) < 2 || points.size(1) < 2) {
        fail(ErrorCode::usage, "SPP", "needs two images or more with two features or more, got {} with {}",
             points.size(0), points.size(1));
    }
    return {points, direction[0]};
}

/// Where the images lie along the prompt, and along each of some axes across it.
struct Projections {
    at::Tensor dependent;    // [n, 1]
    at::Tensor independent;  // [n, draws]
};

/// The mean over columns of the ranges of the resampled images, for each resampling. Nothing for too few
/// images.
std::vector<double> resampled_ranges(const at::Tensor& columns, const SppOptions& options) {
    if (columns.size(0) < kLeastImagesForInterval) return {};
    const at::Tensor rows = columns.contiguous();
    const auto width = static_cast<std::size_t>(rows.size(1));
    const auto* values = rows.const_data_ptr<double>();
    Resampler resampler(rows.size(0), options.seed);
    std::vector<double> ranges;
    std::vector<double> least(width);
    std::vector<double> most(width);
    for (std::int64_t i = 0; i < options.resamples; ++i) {
        std::fill(least.begin(), least.end(), std::numeric_limits<double>::infinity());
        std::fill(most.begin(), most.end(), -std::numeric_limits<double>::infinity());
        resampler.draw([&](std::size_t index) {
            const double* row = values + index * width;
            for (std::size_t j = 0; j < width; ++j) {
                least[j] = std::min(least[j], row[j]);
                most[j] = std::max(most[j], row[j]);
            }
        });
        double sum = 0;
        for (std::size_t j = 0; j < width; ++j) sum += most[j] - least[j];
        ranges.push_back(sum / static_cast<double>(width));
    }
    return ranges;
}

double mean_range(const at::Tensor& columns) {
    return (columns.amax(0) - columns.amin(0)).mean().item<double>();
}

/// Ranges of resampled images are too small, for they miss the outermost ones: only how much they vary
/// counts. Where almost all of them are equal, their mean may lie outside the quantiles, but never the value.
Measured measured(double value, std::vector<double> resampled) {
    if (resampled.empty()) return {value, std::nullopt};
    const double mean =
        std::accumulate(resampled.begin(), resampled.end(), 0.0) / static_cast<double>(resampled.size());
    const Interval found = quantile_interval(std::move(resampled), kLevel);
    return {value,
            Interval{value + std::min(0.0, found.low - mean), value + std::max(0.0, found.high - mean)}};
}

Spp measured_spp(const Group& group, const Projections& projections, const SppOptions& options) {
    std::vector<double> dependent = resampled_ranges(projections.dependent, options);
    std::vector<double> independent = resampled_ranges(projections.independent, options);
    std::vector<double> total = dependent;  // the same images were drawn for both
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += independent[i];
    const double d_dep = mean_range(projections.dependent);
    const double d_ind = mean_range(projections.independent);
    const Estimate cosine = mean_pairwise_similarity(group.images);
    return {
        .spp = measured(d_dep + d_ind, std::move(total)),
        .d_dep = measured(d_dep, std::move(dependent)),
        .d_ind = measured(d_ind, std::move(independent)),
        .mean_cosine = {cosine.value, bootstrap_interval(cosine, options.resamples, options.seed, kLevel)}};
}

}  // namespace

Spp spp(const at::Tensor& images, const at::Tensor& prompt, const SppOptions& options) {
    const Group group = checked_group(images, prompt, options);
    const at::Generator generator = make_stream(options.seed, Purpose::method);
    std::vector<at::Tensor> axes;
    for (std::int64_t i = 0; i < options.draws; ++i) {
        axes.push_back(
            sphere::dominant_basis(group.images, group.prompt, options.candidates, generator).independent);
    }
    return measured_spp(
        group, {group.images.mv(group.prompt).unsqueeze(1), group.images.matmul(at::stack(axes, /*dim=*/1))},
        options);
}

Spp principal_spp(const at::Tensor& images, const at::Tensor& prompt, const SppOptions& options) {
    const Group group = checked_group(images, prompt, options);
    return measured_spp(group,
                        {group.images.mv(group.prompt).unsqueeze(1),
                         sphere::on_first_axis(group.images, group.prompt).unsqueeze(1)},
                        options);
}

}  // namespace gass
