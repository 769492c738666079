#pragma once

#include "eval/report/results.h"
#include "eval/report/statistics.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace gass::eval {

/// A method's place in a plot.
struct PlacedMethod {
    std::size_t method = 0;  ///< place in the suite's methods
    double x = 0;
    double y = 0;
    std::optional<Interval> x_interval, y_interval;
    bool on_front = false;  ///< no other is at least as good in both and better in one
};

/// What a model's scores say beyond their means.
struct ModelAnalysis {
    /// [method][metric], to the baseline; without pairs for the baseline itself and for metrics that look at
    /// all images at once.
    std::vector<std::vector<PairedDifference>> differences;
    /// [method][metric], mean ranks among the methods that have values, over the prompts that all of them
    /// have.
    std::vector<std::vector<std::optional<double>>> ranks;
    /// [plot], without methods that lack one of the two values.
    std::vector<std::vector<PlacedMethod>> plots;
};

/// `model`: place in the suite's models.
ModelAnalysis analyze(const Results& results, std::size_t model);

}  // namespace gass::eval
