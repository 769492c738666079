#include "measure/outcome.h"

#include "core/wording.h"

#include <gass/error.h>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <variant>

namespace gass {
namespace {

/// Numbers beside a value, averaged over groups as the value itself is.
std::vector<MetricParameter> mean_details(const std::vector<std::vector<MetricParameter>>& all) {
    std::vector<MetricParameter> mean = all.front();
    for (std::size_t i = 0; i < mean.size(); ++i) {
        auto* const value = std::get_if<double>(&mean[i].value);
        if (value == nullptr) continue;
        double sum = 0;
        for (const std::vector<MetricParameter>& one : all) sum += std::get<double>(one[i].value);
        *value = sum / static_cast<double>(all.size());
    }
    return mean;
}

void add_images(MetricResult& result, const Outcome& outcome, const GroupFeatures& group,
                const std::string& name) {
    for (std::size_t i = 0; i < outcome.of_images.size(); ++i)
        result.per_image.push_back(
            {i < group.files.size() ? group.files[i] : "", name, outcome.of_images[i]});
}

void set(MetricResult& result, const Outcome& outcome) {
    result.value = outcome.value;
    result.interval = outcome.interval;
    append(result.parameters, outcome.details);
}

}  // namespace

void append(std::vector<MetricParameter>& parameters, const std::vector<MetricParameter>& others) {
    parameters.insert(parameters.end(), others.begin(), others.end());
}

void keep_in_range(MetricResult& result, const Interval& range) {
    const auto cut = [&](std::optional<Interval>& interval) {
        if (!interval) return;
        interval = Interval{std::clamp(interval->low, range.low, range.high),
                            std::clamp(interval->high, range.low, range.high)};
    };
    cut(result.interval);
    for (GroupValue& group : result.groups) cut(group.interval);
}

at::Tensor all_images_of(const std::vector<GroupFeatures>& groups) {
    std::vector<at::Tensor> rows;
    for (const GroupFeatures& group : groups) rows.push_back(group.images);
    return rows.size() == 1 ? rows.front() : at::cat(rows);
}

Outcome OutcomesOfGroups::measured(const Estimate& estimate) const {
    Outcome result{.value = estimate.value};
    if (resamples_ > 0) result.interval = bootstrap_interval(estimate, resamples_, seed_);
    return result;
}

MetricResult OutcomesOfGroups::result(Metric metric, const GroupMetric& compute) {
    return spec_of(metric).is_of_all ? of_all(metric, compute) : mean_over_groups(metric, compute);
}

MetricResult OutcomesOfGroups::of_all(Metric metric, const GroupMetric& compute) {
    return of_one(metric, all(), compute);
}

MetricResult OutcomesOfGroups::mean_over_groups(Metric metric, const GroupMetric& compute) const {
    if (groups_.size() == 1) return of_one(metric, groups_.front(), compute);
    MetricResult result = named(metric);
    std::vector<double> values;
    std::vector<std::vector<MetricParameter>> details;
    for (const GroupFeatures& features : groups_) {
        GroupValue group{features.name, features.images.size(0), {}, {}};
        try {
            const Outcome outcome = compute(features);
            group.value = outcome.value;
            group.interval = outcome.interval;
            group.parameters = outcome.details;
            add_images(result, outcome, features, features.name);
            values.push_back(outcome.value);
            details.push_back(outcome.details);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::usage) throw;
            group.reason = error.message();
        }
        result.groups.push_back(std::move(group));
    }
    if (values.empty()) {
        result.reason = result.groups.front().reason;
        return result;
    }
    const at::Tensor all = at::tensor(values, at::kDouble);
    set(result, measured(mean_estimate(all)));
    append(result.parameters, mean_details(details));
    if (values.size() > 1) result.deviation = all.std().item<double>();
    if (values.size() < groups_.size())
        result.notes.push_back(fmt::format("{} of {} left out, without a value",
                                           groups_.size() - values.size(), counted(groups_.size(), "group")));
    return result;
}

MetricResult OutcomesOfGroups::named(Metric metric) const {
    MetricResult result;
    result.metric = spec_of(metric).name;
    for (const GroupFeatures& group : groups_) result.images += group.images.size(0);
    return result;
}

MetricResult OutcomesOfGroups::of_one(Metric metric, const GroupFeatures& group,
                                      const GroupMetric& compute) const {
    MetricResult result = named(metric);
    try {
        const Outcome outcome = compute(group);
        set(result, outcome);
        add_images(result, outcome, group, "");
    } catch (const Error& error) {
        if (error.code() != ErrorCode::usage) throw;
        result.reason = error.message();
    }
    return result;
}

const GroupFeatures& OutcomesOfGroups::all() {
    if (groups_.size() == 1) return groups_.front();
    if (all_) return *all_;
    std::vector<at::Tensor> texts;
    for (const GroupFeatures& group : groups_) {
        if (group.texts.defined()) texts.push_back(group.texts.expand_as(group.images));
    }
    all_ = {"all", all_images_of(groups_), texts.size() == groups_.size() ? at::cat(texts) : at::Tensor()};
    return *all_;
}

}  // namespace gass
