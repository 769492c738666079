#pragma once

#include "core/resampling.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

namespace gass {

/// The value of a statistic of a set of images, and how much each image bears on it.
struct Estimate {
    double value = 0;

    /// To first order, by how much the value grows with the share of each image: n times its change when the
    /// image's weight grows by 1 / n and all weights are scaled back to a sum of 1. [n], fp64, of mean 0;
    /// undefined if the statistic has no such derivative.
    at::Tensor influence;
};

/// An estimate whose influence is `contributions` [n] less their mean.
Estimate estimate_of(double value, const at::Tensor& contributions);

/// The mean of the values [n], fp64.
Estimate mean_estimate(const at::Tensor& values);

/// Of two images no interval says anything: whatever is symmetric in them, each bears on alike.
constexpr std::int64_t kLeastImagesForInterval = 3;

/// A bootstrap confidence interval: the value plus quantiles of the mean influence of n images drawn with
/// replacement. The statistic itself is not computed again: a resampled set has images twice, which makes
/// measures of diversity and of neighbourhoods too small. Nothing for too few images, without influence, or
/// for no resamples.
std::optional<Interval> bootstrap_interval(const Estimate& estimate, std::int64_t resamples = 1000,
                                           std::uint64_t seed = 0, double level = 0.95);

}  // namespace gass
