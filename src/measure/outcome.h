#pragma once

#include "measure/measure_features.h"
#include "metrics/estimate.h"

#include <functional>
#include <optional>
#include <vector>

// How what a metric gives for one group of images becomes a result.
namespace gass {

/// What a metric gives for one group of images.
struct Outcome {
    double value = 0;
    std::optional<Interval> interval = {};
    std::vector<MetricParameter> details = {};  ///< numbers beside the value
    std::vector<double> of_images = {};         ///< what each image has, if the value is the mean of that
};

/// A metric of a group; throws usage where there is no such value.
using GroupMetric = std::function<Outcome(const GroupFeatures&)>;

void append(std::vector<MetricParameter>& parameters, const std::vector<MetricParameter>& others);

/// Cuts a result's intervals off at what the metric can be at all: rounding, and an expansion of first order,
/// may lead out of that.
void keep_in_range(MetricResult& result, const Interval& range);

class OutcomesOfGroups {
  public:
    /// The groups must outlive this. `resamples`, `seed`: of intervals.
    OutcomesOfGroups(const std::vector<GroupFeatures>& groups, std::int64_t resamples, std::uint64_t seed)
        : groups_(groups), resamples_(resamples), seed_(seed) {}

    Outcome measured(const Estimate& estimate) const;

    /// Of all images at once, or the mean over groups: whichever the metric is.
    MetricResult result(Metric metric, const GroupMetric& compute);
    MetricResult of_all(Metric metric, const GroupMetric& compute);
    /// A group without a value is left out, and said.
    MetricResult mean_over_groups(Metric metric, const GroupMetric& compute) const;

  private:
    MetricResult named(Metric metric) const;
    MetricResult of_one(Metric metric, const GroupFeatures& group, const GroupMetric& compute) const;
    /// All images as one group, with the prompt of each if all have one.
    const GroupFeatures& all();

    const std::vector<GroupFeatures>& groups_;
    std::int64_t resamples_;
    std::uint64_t seed_;
    std::optional<GroupFeatures> all_;
};

/// The images of all groups, one after the other.
at::Tensor all_images_of(const std::vector<GroupFeatures>& groups);

}  // namespace gass
