#include "measure/measure_features.h"

#include "core/fail.h"
#include "core/quote.h"
#include "measure/outcome.h"
#include "metrics/features.h"
#include "metrics/irs.h"
#include "metrics/prdc.h"
#include "metrics/similarity.h"
#include "metrics/squared_distances.h"
#include "metrics/vendi.h"
#include "sphere/volume.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace gass {
namespace {

/// A whole number without a point, since JSON has no infinity to stand beside 1.0.
MetricParameter order_parameter(double order) {
    if (std::isinf(order)) return {"order", "inf"};
    if (order == std::floor(order) && order < 1e15) return {"order", static_cast<std::int64_t>(order)};
    return {"order", order};
}

MetricParameter seed_parameter(std::uint64_t seed) {
    return {"seed", static_cast<std::int64_t>(seed)};
}

Estimate mean_score(const at::Tensor& scores) {
    return mean_estimate(scores.flatten());
}

const at::Tensor& prompt_of(const GroupFeatures& group) {
    if (!group.texts.defined()) fail(ErrorCode::usage, SettingKey("prompt"), "the images have no prompt");
    return group.texts;
}

class Measuring {
  public:
    Measuring(const std::vector<GroupFeatures>& groups, const ReferenceFeatures& reference,
              const MetricOptions& options)
        : groups_(groups),
          reference_(reference),
          options_(options),
          outcomes_(groups, options.resamples, options.seed) {}

    std::vector<MetricResult> of(Metric metric) {
        switch (metric) {
            case Metric::spp:
            case Metric::d_dep:
            case Metric::d_ind:
            case Metric::spp_pca:
                return {spp_of(metric)};
            case Metric::clip_score:
                return {of_prompts(metric, clip_score)};
            case Metric::clip_score_w:
                return {of_prompts(metric, weighted_clip_score)};
            case Metric::vendi:
                return vendi_of_each_order();
            case Metric::pairwise:
                return {of_images(metric, mean_pairwise_similarity)};
            case Metric::mss:
                return {of_images(metric, mean_similarity)};
            case Metric::hypervolume:
                return {outcomes_.result(
                    metric, [](const GroupFeatures& group) { return hypervolume_of(group.images); })};
            case Metric::lpips:
                return {outcomes_.result(metric,
                                         [&](const GroupFeatures& group) { return lpips_of(group.images); })};
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
            case Metric::inception_score:
                return {inception_score_of(metric)};
            case Metric::irs:
                return {irs_of(metric)};
            case Metric::scendi:
                return {scendi_of(metric)};
            case Metric::image_reward:
                return {outcomes_.result(metric, [&](const GroupFeatures& group) {
                    return with_images(mean_score(group.images));
                })};
        }
        return {};
    }

  private:
    Outcome measured(const Estimate& estimate) const { return outcomes_.measured(estimate); }

    static Outcome outcome_of(const Measured& measured) {
        return {.value = measured.value, .interval = measured.interval};
    }

    MetricResult of_images(Metric metric, Estimate (*estimate)(const at::Tensor&)) {
        return outcomes_.result(metric,
                                [&](const GroupFeatures& group) { return measured(estimate(group.images)); });
    }

    /// Of an estimate that is a mean: what an image bears on it is what the image has, less the mean.
    Outcome with_images(const Estimate& mean) const {
        Outcome outcome = measured(mean);
        const at::Tensor values = mean.influence + mean.value;
        const auto* each = values.const_data_ptr<double>();
        outcome.of_images.assign(each, each + values.numel());
        return outcome;
    }

    MetricResult of_prompts(Metric metric, Estimate (*estimate)(const at::Tensor&, const at::Tensor&)) {
        return outcomes_.result(metric, [&](const GroupFeatures& group) {
            return with_images(estimate(group.images, prompt_of(group)));
        });
    }

    /// Kept for the next of spp, d_dep and d_ind.
    const Spp& spread_of(const GroupFeatures& group) {
        const auto known = spreads_.find(&group);
        if (known != spreads_.end()) return known->second;
        return spreads_.emplace(&group, spp(group.images, group.texts, options_.spp)).first->second;
    }

    MetricResult spp_of(Metric metric) {
        MetricResult result = outcomes_.result(metric, [&](const GroupFeatures& group) {
            const at::Tensor& prompt = prompt_of(group);
            if (prompt.dim() != 1)
                fail(ErrorCode::usage, SettingKey("prompt"),
                     "the images have several prompts; the spread is about one");
            const Spp spread = metric == Metric::spp_pca ? principal_spp(group.images, prompt, options_.spp)
                                                         : spread_of(group);
            if (metric == Metric::d_dep) return outcome_of(spread.d_dep);
            if (metric == Metric::d_ind) return outcome_of(spread.d_ind);
            Outcome outcome = outcome_of(spread.spp);
            outcome.details = {{"d_dep", spread.d_dep.value},
                               {"d_ind", spread.d_ind.value},
                               {"mean_cosine", spread.mean_cosine.value}};
            return outcome;
        });
        if (metric != Metric::spp_pca) {
            append(result.parameters, {{"draws", options_.spp.draws},
                                       {"candidates", options_.spp.candidates},
                                       seed_parameter(options_.spp.seed)});
        }
        return result;
    }

    std::vector<MetricResult> vendi_of_each_order() {
        std::vector<MetricResult> results;
        for (const double order : options_.orders) {
            results.push_back(outcomes_.result(Metric::vendi, [&](const GroupFeatures& group) {
                return measured(vendi_estimate(group.images, order));
            }));
            results.back().parameters.push_back(order_parameter(order));
        }
        return results;
    }

    static Outcome hypervolume_of(const at::Tensor& images) {
        if (images.size(0) < 2) fail(ErrorCode::usage, "hypervolume", "needs two images or more");
        const double volume = sphere::log_volume(unit_features(images, "hypervolume"));
        if (!std::isfinite(volume))
            fail(ErrorCode::usage, "hypervolume",
                 "the images span no volume: some are alike, or there are more than dimensions");
        return {.value = volume, .details = {{"scale", "natural logarithm"}}};
    }

    Outcome lpips_of(const at::Tensor& images) const {
        const Estimate estimate = mean_squared_distance(images);
        Outcome outcome = with_images({estimate.value, estimate.influence / 2});
        outcome.interval = measured(estimate).interval;
        return outcome;
    }

    // Against a reference

    at::Tensor reference_images() const {
        if (reference_.groups.empty())
            fail(ErrorCode::usage, SettingKey("reference"),
                 "statistics are not enough: it needs the reference's images or features");
        return all_images_of(reference_.groups);
    }

    const GroupFeatures* reference_named(const std::string& name) const {
        const auto found = std::ranges::find(reference_.groups, name, &GroupFeatures::name);
        return found == reference_.groups.end() ? nullptr : &*found;
    }

    /// The references of our groups' names. None if neither side has classes, or no name is on both.
    std::vector<const GroupFeatures*> references_by_class() const {
        std::vector<const GroupFeatures*> found;
        if (groups_.size() == 1 && reference_.groups.size() == 1) return found;
        for (const GroupFeatures& group : groups_) {
            if (const GroupFeatures* same = reference_named(group.name)) found.push_back(same);
        }
        return found;
    }

    /// The four come together, so they are kept for the next one asked for.
    const Prdc& prdc_with(const GroupFeatures& group, const std::function<at::Tensor()>& reference) {
        const auto known = prdc_.find(&group);
        if (known != prdc_.end()) return known->second;
        return prdc_.emplace(&group, prdc(reference(), group.images, options_.k, !options_.inclusive))
            .first->second;
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
                ? outcomes_.of_all(metric,
                                   [&](const GroupFeatures& images) {
                                       return one_of(metric,
                                                     prdc_with(images, [&] { return reference_images(); }));
                                   })
                : outcomes_.mean_over_groups(metric, [&](const GroupFeatures& group) {
                      const GroupFeatures* own = reference_named(group.name);
                      if (own == nullptr)
                          fail(ErrorCode::usage, SettingKey("reference"), "it has no group {}",
                               in_quotes(group.name));
                      return one_of(metric, prdc_with(group, [&] { return own->images; }));
                  });
        append(result.parameters, {{"k", options_.k},
                                   {"comparison", options_.inclusive ? "<=" : "<"},
                                   {"per_class", !classes.empty()}});
        add_reference(result, classes);
        if (classes.empty() && groups_.size() + reference_.groups.size() > 2)
            result.notes.emplace_back(
                "no group has its name in the reference: all images are compared with all of it");
        return result;
    }

    /// What was compared with. `classes` are those parts of the reference that were used, if not all.
    void add_reference(MetricResult& result, const std::vector<const GroupFeatures*>& classes = {}) const {
        std::int64_t count = reference_.statistics ? reference_.statistics->count : 0;
        for (const GroupFeatures& group : reference_.groups) {
            if (classes.empty() || std::ranges::find(classes, &group) != classes.end())
                count += group.images.size(0);
        }
        if (!reference_.name.empty()) result.parameters.push_back({"reference", reference_.name});
        if (count > 0) result.parameters.push_back({"reference_n", count});
    }

    const FeatureStatistics& reference_statistics() {
        if (reference_.statistics) return *reference_.statistics;
        if (!statistics_) statistics_ = statistics_of(reference_images());
        return *statistics_;
    }

    MetricResult fid_of(Metric metric) {
        MetricResult result = outcomes_.result(metric, [&](const GroupFeatures& images) {
            return measured(frechet_estimate(images.images, reference_statistics()));
        });
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
        MetricResult result = outcomes_.result(metric, [&](const GroupFeatures& images) {
            const KernelDistance distance = kernel_distance(images.images, reference_images(), options_.kid);
            Outcome found = measured(distance.mean);
            found.details = {{"subset_std", distance.standard_deviation}};
            return found;
        });
        append(result.parameters, {{"subsets", options_.kid.subsets},
                                   {"subset_size", options_.kid.subset_size},
                                   seed_parameter(options_.kid.seed)});
        add_reference(result);
        return result;
    }

    MetricResult inception_score_of(Metric metric) {
        MetricResult result = outcomes_.result(metric, [&](const GroupFeatures& images) {
            const InceptionScore score = inception_score(images.images, options_.inception);
            Outcome found = measured(score.mean);
            found.details = {{"split_std", score.standard_deviation}};
            return found;
        });
        append(result.parameters,
               {{"splits", options_.inception.splits}, seed_parameter(options_.inception.seed)});
        constexpr std::int64_t kEnoughInASplit = 1000;
        if (result.value && result.images < kEnoughInASplit * options_.inception.splits)
            result.notes.push_back(fmt::format(
                "{} images in {} splits: it grows with the images in a split; compare sets of one size only",
                result.images, options_.inception.splits));
        return result;
    }

    MetricResult irs_of(Metric metric) {
        MetricResult result = outcomes_.result(metric, [&](const GroupFeatures& images) {
            const Irs score = image_retrieval_score(reference_images(), images.images);
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
        MetricResult result = outcomes_.result(metric, [&](const GroupFeatures& images) {
            const at::Tensor texts = prompt_of(images).expand_as(images.images).contiguous();
            const Scendi score = scendi(texts, images.images, options_.scendi);
            Outcome found = measured(score.score);
            found.details = {{"explained", score.removed}};
            return found;
        });
        append(result.parameters, {{"sigma", options_.scendi.sigma},
                                   {"frequencies", options_.scendi.frequencies},
                                   seed_parameter(options_.scendi.seed)});
        return result;
    }

    const std::vector<GroupFeatures>& groups_;
    const ReferenceFeatures& reference_;
    const MetricOptions& options_;
    OutcomesOfGroups outcomes_;
    std::map<const GroupFeatures*, Spp> spreads_;
    std::map<const GroupFeatures*, Prdc> prdc_;
    std::optional<FeatureStatistics> statistics_;
};

}  // namespace

std::vector<MetricResult> measure_features(const std::vector<Metric>& metrics,
                                           const std::vector<GroupFeatures>& groups,
                                           const ReferenceFeatures& reference, const MetricOptions& options) {
    Measuring measuring(groups, reference, options);
    std::vector<MetricResult> results;
    for (const Metric metric : metrics) {
        for (MetricResult& result : measuring.of(metric)) {
            keep_in_range(result, spec_of(metric).range);
            results.push_back(std::move(result));
        }
    }
    return results;
}

}  // namespace gass
