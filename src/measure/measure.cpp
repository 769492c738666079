#include "measure/measure.h"

#include "core/fail.h"
#include "core/quote.h"
#include "metrics/estimate.h"
#include "metrics/features.h"
#include "metrics/irs.h"
#include "metrics/prdc.h"
#include "metrics/similarity.h"
#include "metrics/vendi.h"
#include "sphere/volume.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace gass {
namespace {

/// What a metric gives for one set of images.
struct Outcome {
    double value = 0;
    std::optional<Interval> interval = {};
    Json details = Json::object();  // numbers beside the value
};

/// A metric of the group of that index; throws usage where there is no such value.
using GroupMetric = std::function<Outcome(std::size_t)>;

/// Numbers beside a value, averaged over groups as the value itself is.
Json mean_details(const std::vector<Json>& all) {
    Json mean = all.front();
    for (auto& [key, value] : mean.items()) {
        if (!value.is_number_float()) continue;
        double sum = 0;
        for (const Json& one : all) sum += one.at(key).get<double>();
        value = sum / static_cast<double>(all.size());
    }
    return mean;
}

/// A whole number without a point, since JSON has no infinity to stand beside 1.0.
Json shown_order(double order) {
    if (std::isinf(order)) return "inf";
    if (order == std::floor(order) && order < 1e15) return static_cast<std::int64_t>(order);
    return order;
}

class Measuring {
  public:
    Measuring(const std::vector<GroupFeatures>& groups, const ReferenceFeatures& reference,
              const MetricOptions& options)
        : groups_(groups), reference_(reference), options_(options) {}

    std::vector<MetricResult> of(Metric metric) {
        switch (metric) {
            case Metric::spp:
            case Metric::d_dep:
            case Metric::d_ind:
            case Metric::spp_pca:
                return {spp_of(metric)};
            case Metric::clip_score:
            case Metric::clip_score_w:
                return {clip_score_of(metric)};
            case Metric::vendi:
                return vendi_of_each_order();
            case Metric::pairwise:
                return {over_groups(metric, [&](std::size_t i) {
                    return measured(mean_pairwise_similarity(groups_[i].images));
                })};
            case Metric::mss:
                return {over_groups(
                    metric, [&](std::size_t i) { return measured(mean_similarity(groups_[i].images)); })};
            case Metric::hypervolume:
                return {
                    over_groups(metric, [&](std::size_t i) { return hypervolume_of(groups_[i].images); })};
            case Metric::precision:
            case Metric::recall:
            case Metric::density:
            case Metric::coverage:
                return {prdc_of(metric)};
            case Metric::fid:
            case Metric::clean_fid:
                return {fid_of(metric)};
            case Metric::kid:
            case Metric::clean_kid:
                return {kid_of(metric)};
            case Metric::irs:
                return {irs_of(metric)};
            case Metric::scendi:
                return {scendi_of(metric)};
            case Metric::image_reward:
                return {over_groups(metric, [&](std::size_t i) {
                    return measured(mean_estimate(groups_[i].images.flatten()));
                })};
        }
        return {};
    }

  private:
    Outcome measured(const Estimate& estimate) const {
        Outcome result{.value = estimate.value};
        if (options_.resamples > 0)
            result.interval = bootstrap_interval(estimate, options_.resamples, options_.seed);
        return result;
    }

    static Outcome outcome_of(const Measured& measured) {
        return {.value = measured.value, .interval = measured.interval};
    }

    MetricResult named(Metric metric) const {
        MetricResult result;
        result.metric = spec_of(metric).name;
        for (const GroupFeatures& group : groups_) result.images += group.images.size(0);
        return result;
    }

    static void set(MetricResult& result, const Outcome& outcome) {
        result.value = outcome.value;
        if (outcome.interval) result.interval = {outcome.interval->low, outcome.interval->high};
        result.parameters.update(outcome.details);
    }

    /// A metric of all images at once.
    MetricResult of_all(Metric metric, const std::function<Outcome()>& compute) const {
        MetricResult result = named(metric);
        try {
            set(result, compute());
        } catch (const Error& error) {
            if (error.code() != ErrorCode::usage) throw;
            result.reason = error.message();
        }
        return result;
    }

    /// The mean over groups of a metric. A group without a value is left out, and said.
    MetricResult over_groups(Metric metric, const GroupMetric& compute) const {
        if (groups_.size() == 1) return of_all(metric, [&] { return compute(0); });
        MetricResult result = named(metric);
        std::vector<double> values;
        std::vector<Json> details;
        for (std::size_t i = 0; i < groups_.size(); ++i) {
            GroupValue group{groups_[i].name, groups_[i].images.size(0), {}, {}};
            try {
                const Outcome outcome = compute(i);
                group.value = outcome.value;
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
        result.parameters.update(mean_details(details));
        if (values.size() > 1) result.deviation = all.std().item<double>();
        if (values.size() < groups_.size())
            result.notes.push_back(fmt::format("{} of {} groups have no value and are left out",
                                               groups_.size() - values.size(), groups_.size()));
        return result;
    }

    const at::Tensor& prompt_of(std::size_t i) const {
        const GroupFeatures& group = groups_[i];
        if (!group.texts.defined()) fail(ErrorCode::usage, "--prompt", "the images have no prompt");
        return group.texts;
    }

    /// Kept for the next of spp, d_dep and d_ind.
    const Spp& spread_of(std::size_t i, const at::Tensor& prompt) {
        const auto known = spreads_.find(i);
        if (known != spreads_.end()) return known->second;
        return spreads_.emplace(i, spp(groups_[i].images, prompt, options_.spp)).first->second;
    }

    MetricResult spp_of(Metric metric) {
        MetricResult result = over_groups(metric, [&](std::size_t i) {
            const at::Tensor& prompt = prompt_of(i);
            if (prompt.dim() != 1)
                fail(ErrorCode::usage, "--prompt",
                     "the images have several prompts; the spread is about one");
            const Spp spread = metric == Metric::spp_pca
                                   ? principal_spp(groups_[i].images, prompt, options_.spp)
                                   : spread_of(i, prompt);
            if (metric == Metric::d_dep) return outcome_of(spread.d_dep);
            if (metric == Metric::d_ind) return outcome_of(spread.d_ind);
            Outcome outcome = outcome_of(spread.spp);
            outcome.details = {{"d_dep", spread.d_dep.value},
                               {"d_ind", spread.d_ind.value},
                               {"mean_cosine", spread.mean_cosine.value}};
            return outcome;
        });
        if (metric != Metric::spp_pca) {
            result.parameters.update({{"draws", options_.spp.draws},
                                      {"candidates", options_.spp.candidates},
                                      {"seed", options_.spp.seed}});
        }
        return result;
    }

    MetricResult clip_score_of(Metric metric) const {
        return over_groups(metric, [&](std::size_t i) {
            const auto& score = metric == Metric::clip_score ? clip_score : weighted_clip_score;
            return measured(score(groups_[i].images, prompt_of(i)));
        });
    }

    std::vector<MetricResult> vendi_of_each_order() const {
        std::vector<MetricResult> results;
        for (const double order : options_.orders) {
            results.push_back(over_groups(Metric::vendi, [&](std::size_t i) {
                return measured(vendi_estimate(groups_[i].images, order));
            }));
            results.back().parameters["order"] = shown_order(order);
        }
        return results;
    }

    static Outcome hypervolume_of(const at::Tensor& images) {
        if (images.size(0) < 2) fail(ErrorCode::usage, "hypervolume", "it needs two images");
        const double volume = sphere::log_volume(unit_features(images, "hypervolume"));
        if (!std::isfinite(volume))
            fail(ErrorCode::usage, "hypervolume",
                 "the images span no volume: some are alike, or there are more than dimensions");
        return {.value = volume, .details = {{"scale", "natural logarithm"}}};
    }

    // --- Against a reference
    // ---------------------------------------------------------------------------------

    static at::Tensor all_of(const std::vector<GroupFeatures>& groups) {
        std::vector<at::Tensor> rows;
        for (const GroupFeatures& group : groups) rows.push_back(group.images);
        return rows.size() == 1 ? rows.front() : at::cat(rows);
    }

    at::Tensor reference_images() const {
        if (reference_.groups.empty())
            fail(ErrorCode::usage, "--reference",
                 "statistics are not enough: it needs the reference's images or features");
        return all_of(reference_.groups);
    }

    /// For each group the reference of its name, or nullptr. Nothing if neither side has classes, or no
    /// name is on both.
    std::vector<const GroupFeatures*> references_by_class() const {
        if (groups_.size() == 1 && reference_.groups.size() == 1) return {};
        std::vector<const GroupFeatures*> found;
        for (const GroupFeatures& group : groups_) {
            const auto same = std::ranges::find(reference_.groups, group.name, &GroupFeatures::name);
            found.push_back(same == reference_.groups.end() ? nullptr : &*same);
        }
        const bool is_any =
            std::ranges::any_of(found, [](const GroupFeatures* one) { return one != nullptr; });
        return is_any ? found : std::vector<const GroupFeatures*>();
    }

    /// The four come together, so they are kept for the next one asked for.
    const Prdc& prdc_with(std::size_t index, const std::function<Prdc()>& compute) {
        const auto known = prdc_.find(index);
        return known != prdc_.end() ? known->second : prdc_.emplace(index, compute()).first->second;
    }

    Outcome one_of(Metric metric, const Prdc& all) const {
        switch (metric) {
            case Metric::precision:
                return measured(all.precision);
            case Metric::recall:
                return measured(all.recall);
            case Metric::density:
                return measured(all.density);
            default:
                return measured(all.coverage);
        }
    }

    MetricResult prdc_of(Metric metric) {
        const std::vector<const GroupFeatures*> classes = references_by_class();
        MetricResult result =
            classes.empty()
                ? of_all(metric, [&] { return one_of(metric, prdc_with(0, [&] { return prdc_of_all(); })); })
                : over_groups(metric, [&](std::size_t i) {
                      if (classes[i] == nullptr)
                          fail(ErrorCode::usage, "--reference", "it has no group {}",
                               in_quotes(groups_[i].name));
                      return one_of(metric, prdc_with(i, [&] {
                                        return prdc(classes[i]->images, groups_[i].images, options_.k,
                                                    !options_.inclusive);
                                    }));
                  });
        result.parameters.update({{"k", options_.k},
                                  {"comparison", options_.inclusive ? "<=" : "<"},
                                  {"per_class", !classes.empty()}});
        add_reference(result, classes);
        if (classes.empty() && groups_.size() + reference_.groups.size() > 2)
            result.notes.emplace_back(
                "no group has its name in the reference: all images are compared with all of it");
        return result;
    }

    Prdc prdc_of_all() const {
        return prdc(reference_images(), all_of(groups_), options_.k, !options_.inclusive);
    }

    /// What was compared with. `classes` are those parts of the reference that were used, if not all.
    void add_reference(MetricResult& result, const std::vector<const GroupFeatures*>& classes = {}) const {
        std::int64_t count = reference_.statistics ? reference_.statistics->count : 0;
        for (const GroupFeatures& group : reference_.groups) {
            if (classes.empty() || std::ranges::find(classes, &group) != classes.end())
                count += group.images.size(0);
        }
        if (!reference_.name.empty()) result.parameters["reference"] = reference_.name;
        if (count > 0) result.parameters["reference_n"] = count;
    }

    const FeatureStatistics& reference_statistics() {
        if (reference_.statistics) return *reference_.statistics;
        if (!statistics_) statistics_ = statistics_of(reference_images());
        return *statistics_;
    }

    MetricResult fid_of(Metric metric) {
        MetricResult result = of_all(
            metric, [&] { return measured(frechet_estimate(all_of(groups_), reference_statistics())); });
        add_reference(result);
        const std::int64_t dimensions = groups_.front().images.size(1);
        if (result.value && result.images <= dimensions)
            result.notes.push_back(
                fmt::format("{} images for {} dimensions: the covariance is singular and the value too "
                            "large; compare sets of one size only",
                            result.images, dimensions));
        return result;
    }

    MetricResult kid_of(Metric metric) {
        MetricResult result = of_all(metric, [&] {
            const KernelDistance distance =
                kernel_distance(all_of(groups_), reference_images(), options_.kid);
            Outcome found = measured(distance.mean);
            found.details = {{"subset_std", distance.standard_deviation}};
            return found;
        });
        result.parameters.update({{"subsets", options_.kid.subsets},
                                  {"subset_size", options_.kid.subset_size},
                                  {"seed", options_.kid.seed}});
        add_reference(result);
        return result;
    }

    MetricResult irs_of(Metric metric) {
        MetricResult result = of_all(metric, [&] {
            const Irs score = image_retrieval_score(reference_images(), all_of(groups_));
            return Outcome{.value = score.at_infinity,
                           .interval = options_.resamples > 0 ? std::optional(score.interval) : std::nullopt,
                           .details = {{"irs_alpha", score.at_alpha}, {"retrieved", score.retrieved}}};
        });
        if (result.interval)
            result.notes.emplace_back("its interval is the model's own, 5 % below and above it");
        add_reference(result);
        return result;
    }

    MetricResult scendi_of(Metric metric) {
        MetricResult result = of_all(metric, [&] {
            std::vector<at::Tensor> texts;
            for (std::size_t i = 0; i < groups_.size(); ++i)
                texts.push_back(prompt_of(i).expand_as(groups_[i].images));
            const Scendi score = scendi(at::cat(texts), all_of(groups_), options_.scendi);
            Outcome found = measured(score.score);
            found.details = {{"explained", score.removed}};
            return found;
        });
        result.parameters.update({{"sigma", options_.scendi.sigma},
                                  {"frequencies", options_.scendi.frequencies},
                                  {"seed", options_.scendi.seed}});
        return result;
    }

    const std::vector<GroupFeatures>& groups_;
    const ReferenceFeatures& reference_;
    const MetricOptions& options_;
    std::map<std::size_t, Spp> spreads_;
    std::map<std::size_t, Prdc> prdc_;
    std::optional<FeatureStatistics> statistics_;
};

}  // namespace

std::vector<MetricResult> measure_features(const std::vector<Metric>& metrics,
                                           const std::vector<GroupFeatures>& groups,
                                           const ReferenceFeatures& reference, const MetricOptions& options) {
    Measuring measuring(groups, reference, options);
    std::vector<MetricResult> results;
    for (const Metric metric : metrics) {
        for (MetricResult& result : measuring.of(metric)) results.push_back(std::move(result));
    }
    return results;
}

}  // namespace gass
