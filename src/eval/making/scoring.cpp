#include "eval/making/scoring.h"

#include "core/fail.h"
#include "engine/group_files.h"
#include "io/image.h"
#include "record/labels.h"
#include "sheet/resize.h"
#include "sheet/sheet.h"

#include <gass/version.h>

#include <ATen/ATen.h>

#include <algorithm>

namespace gass::eval {
namespace {

MetricOptions options_of(const SuiteMetric& metric, std::int64_t resamples) {
    MetricOptions options;
    options.orders = {metric.order};
    options.k = metric.k;
    options.spp.resamples = 0;
    options.resamples = resamples;
    return options;
}

std::vector<std::string> prompts_of(const Json& record) {
    std::vector<std::string> prompts;
    for (const Json& image : record.at("images")) prompts.push_back(image.at("prompt").get<std::string>());
    return prompts;
}

/// The time to make the images; reading the model does not count.
double seconds_of(const Json& record) {
    const Json& timings = record.at("timings");
    return timings.at("total").get<double>() - timings.at("load").get<double>();
}

Scores without_value(std::string reason) {
    Scores scores;
    scores.reason = std::move(reason);
    return scores;
}

/// The longer side of a sheet on the page, which holds many.
constexpr std::uint32_t kLongestSheet = 1400;

/// A group that is there.
struct FoundGroup {
    const WorkItem* item = nullptr;
    Store::Kept kept;
};

/// Those of one method on one model, by prompt.
using FoundPrompts = std::vector<std::vector<FoundGroup>>;

class Scoring {
  public:
    Scoring(const Suite& suite, const std::vector<WorkItem>& items, Store& store, EncoderSet& encoders,
            Reference& reference, const ScoringEvents& events)
        : suite_(suite),
          items_(items),
          store_(store),
          encoders_(encoders),
          reference_(reference),
          events_(events) {
        results_.suite = suite;
        results_.planned = items.size();
    }

    Results run(const std::vector<PreparedModel>& models) {
        find_groups();
        std::size_t done = 0;
        const std::size_t total = suite_.models.size() * suite_.methods.size();
        for (std::size_t model = 0; model < suite_.models.size(); ++model) {
            results_.scores.emplace_back();
            for (std::size_t method = 0; method < suite_.methods.size(); ++method) {
                results_.scores.back().push_back(scores_of(found_[model][method]));
                say("measure", ++done, total);
            }
        }
        if (suite_.reference.as_row && reference_.is_given()) score_real_pictures();
        for (std::size_t model = 0; model < models.size(); ++model)
            results_.matches_published.push_back(matches_published(models[model], suite_.models[model]));
        describe(models);
        draw_sheets();
        return std::move(results_);
    }

  private:
    void say(std::string_view phase, std::size_t done, std::size_t total) const {
        if (events_.should_stop && events_.should_stop())
            fail(ErrorCode::interrupted, "gass eval",
                 "stopped while measuring; all groups that were made are kept");
        if (events_.progress) events_.progress(phase, done, total);
    }

    void find_groups() {
        found_.assign(suite_.models.size(),
                      std::vector<FoundPrompts>(suite_.methods.size(), FoundPrompts(suite_.prompts.size())));
        for (const WorkItem& item : items_) {
            if (std::optional<Store::Kept> kept = store_.find(item.key)) {
                found_[item.model][item.method][item.prompt].push_back({&item, std::move(*kept)});
                ++results_.done;
            } else if (const std::optional<std::string> reason = store_.failure(item.key)) {
                results_.failures.push_back({suite_.models[item.model].id, suite_.methods[item.method].id,
                                             item.prompt, item.group, *reason});
            }
        }
    }

    /// What a network made of a group.
    at::Tensor features_of(const FoundGroup& group, Encoder& encoder) {
        std::optional<ImageFeatures> features = store_.features(group.item->key, encoder.key());
        if (!features) {
            features = encoder.encode(pictures_of(group), prompts_of(group.kept.record));
            store_.keep_features(group.item->key, *features);
        }
        return tensor_of(*features);
    }

    std::vector<Image> pictures_of(const FoundGroup& group) const {
        std::vector<Image> images;
        for (const Json& image : group.kept.record.at("images"))
            images.push_back(
                read_image(store_.folder() / group.kept.folder / image.at("file").get<std::string>()).image);
        return images;
    }

    /// The sets that a prompt is measured by: all its images, or each group's.
    std::vector<GroupFeatures> sets_of(std::size_t prompt, const std::vector<FoundGroup>& groups,
                                       Encoder& encoder) {
        std::vector<GroupFeatures> sets;
        std::vector<std::string> texts;
        for (const FoundGroup& group : groups) {
            const std::vector<std::string> own = prompts_of(group.kept.record);
            sets.push_back(
                {suite_.prompts[prompt].name, features_of(group, encoder), encoder.encode_texts(own)});
            texts.insert(texts.end(), own.begin(), own.end());
        }
        if (sets.size() < 2 || !suite_.pools_groups) return sets;
        std::vector<at::Tensor> all;
        for (const GroupFeatures& set : sets) all.push_back(set.images);
        return {{suite_.prompts[prompt].name, at::cat(all), encoder.encode_texts(texts)}};
    }

    const ReferenceFeatures& reference_for(const Encoder& encoder) {
        return reference_.features(
            encoder, [&](std::size_t done, std::size_t total) { say("real pictures", done, total); },
            events_.should_stop);
    }

    /// The real pictures of a prompt's class; nothing if there are none.
    const GroupFeatures* class_of(const ReferenceFeatures& reference, const SuitePrompt& prompt) const {
        const auto found = std::ranges::find(reference.groups, prompt.name, &GroupFeatures::name);
        return found == reference.groups.end() ? nullptr : &*found;
    }

    bool has_classes(const ReferenceFeatures& reference) const {
        return std::ranges::any_of(suite_.prompts, [&](const SuitePrompt& prompt) {
            return class_of(reference, prompt) != nullptr;
        });
    }

    std::vector<Scores> scores_of(const FoundPrompts& prompts) {
        std::vector<Scores> scores;
        for (std::size_t m = 0; m < suite_.metrics.size(); ++m) {
            const SuiteMetric& metric = suite_.metrics[m];
            scores.push_back(metric.metric ? measured(metric, prompts, *encoders_.of(m)) : timed(prompts));
        }
        return scores;
    }

    static Scores timed(const FoundPrompts& prompts) {
        Scores scores;
        for (const std::vector<FoundGroup>& groups : prompts) {
            double sum = 0;
            for (const FoundGroup& group : groups) sum += seconds_of(group.kept.record);
            scores.prompts.push_back(
                groups.empty() ? std::nullopt : std::optional(sum / static_cast<double>(groups.size())));
        }
        return scores;
    }

    Scores measured(const SuiteMetric& metric, const FoundPrompts& prompts, Encoder& encoder) {
        const bool compares = spec_of(*metric.metric).needs_reference;
        ReferenceFeatures reference;
        if (compares) {
            reference = reference_for(encoder);
            if (reference.groups.empty())
                return without_value(
                    fmt::format("there are no real pictures that {} has seen", metric.encoder));
        }
        const bool by_class = compares && !spec_of(*metric.metric).is_of_all && has_classes(reference);
        std::vector<std::vector<GroupFeatures>> sets;
        for (std::size_t p = 0; p < prompts.size(); ++p) sets.push_back(sets_of(p, prompts[p], encoder));
        return measured_sets(metric, sets, reference, by_class);
    }

    /// `sets`: of each prompt. By class: each prompt with the reference's class of its name.
    Scores measured_sets(const SuiteMetric& metric, const std::vector<std::vector<GroupFeatures>>& sets,
                         const ReferenceFeatures& reference, bool by_class) const {
        const MetricSpec& spec = spec_of(*metric.metric);
        if (spec.is_of_all || (spec.needs_reference && !by_class)) return of_all(metric, sets, reference);
        Scores scores;
        for (std::size_t p = 0; p < sets.size(); ++p) {
            ReferenceFeatures own{.name = reference.name, .groups = {}, .statistics = {}};
            if (by_class) {
                const GroupFeatures* real = class_of(reference, suite_.prompts[p]);
                if (real == nullptr) {
                    scores.prompts.emplace_back();
                    continue;
                }
                own.groups.push_back(*real);
            }
            scores.prompts.push_back(mean_of(metric, sets[p], own, scores.reason));
        }
        const bool has_any =
            std::ranges::any_of(scores.prompts, [](const auto& value) { return value.has_value(); });
        if (has_any) scores.reason.clear();
        return scores;
    }

    /// `reason`: of the first set without a value.
    static std::optional<double> mean_of(const SuiteMetric& metric, const std::vector<GroupFeatures>& sets,
                                         const ReferenceFeatures& reference, std::string& reason) {
        double sum = 0;
        std::size_t count = 0;
        for (const GroupFeatures& set : sets) {
            const MetricResult result =
                measure_features({*metric.metric}, {set}, reference, options_of(metric, 0)).front();
            if (result.value) {
                sum += *result.value;
                ++count;
            } else if (reason.empty()) {
                reason = result.reason;
            }
        }
        if (count == 0) return std::nullopt;
        return sum / static_cast<double>(count);
    }

    static Scores of_all(const SuiteMetric& metric, const std::vector<std::vector<GroupFeatures>>& sets,
                         const ReferenceFeatures& reference) {
        std::vector<GroupFeatures> all;
        for (const std::vector<GroupFeatures>& own : sets) all.insert(all.end(), own.begin(), own.end());
        if (all.empty()) return without_value("no group was made");
        constexpr std::int64_t kResamples = 1000;
        const MetricResult result =
            measure_features({*metric.metric}, all, reference, options_of(metric, kResamples)).front();
        Scores scores = without_value(result.reason);
        scores.whole = result.value;
        scores.whole_interval = result.interval;
        return scores;
    }

    void score_real_pictures() {
        for (std::size_t m = 0; m < suite_.metrics.size(); ++m) {
            const SuiteMetric& metric = suite_.metrics[m];
            if (!metric.metric) {
                results_.real.push_back(without_value("nobody made them"));
            } else if (spec_of(*metric.metric).needs_reference) {
                results_.real.push_back(without_value("they are what others are compared with"));
            } else {
                results_.real.push_back(real_scores(metric, *encoders_.of(m)));
            }
        }
    }

    Scores real_scores(const SuiteMetric& metric, Encoder& encoder) {
        const ReferenceFeatures& reference = reference_for(encoder);
        if (reference.groups.empty())
            return without_value(fmt::format("there are no real pictures that {} has seen", metric.encoder));
        std::vector<std::vector<GroupFeatures>> sets;
        for (const SuitePrompt& prompt : suite_.prompts) {
            sets.emplace_back();
            if (const GroupFeatures* real = class_of(reference, prompt))
                sets.back().push_back({real->name, real->images, encoder.encode_texts({prompt.text})});
        }
        return measured_sets(metric, sets, {}, false);
    }

    /// Whether the paper's numbers may stand beside this model's.
    bool matches_published(const PreparedModel& prepared, const SuiteModel& model) const {
        if (!suite_.published) return false;
        const PublishedRun& run = *suite_.published;
        const std::int64_t images = suite_.groups * prepared.recipes.front().images;
        return suite_.prompts.size() == run.prompts && images == run.images &&
               run.parameters.contains(model.id) &&
               run.parameters.at(model.id) == prepared.denoiser_parameters;
    }

    void describe(const std::vector<PreparedModel>& models) {
        Json& provenance = results_.provenance;
        provenance["gass"] = version();
        for (std::size_t m = 0; m < models.size(); ++m) {
            Json settings = models[m].recipes.front().identity.at("settings");
            settings.erase("method");
            settings.erase("guide");
            Json methods = Json::object();
            for (std::size_t k = 0; k < suite_.methods.size(); ++k)
                methods[suite_.methods[k].id] = models[m].methods[k];
            provenance["models"][suite_.models[m].id] = {{"model", model_label(models[m].options.model)},
                                                         {"fingerprint", models[m].fingerprint},
                                                         {"settings", std::move(settings)},
                                                         {"methods", std::move(methods)}};
        }
        provenance["encoders"] = Json::object();
        for (std::size_t m = 0; m < suite_.metrics.size(); ++m) {
            if (const Encoder* encoder = encoders_.of(m))
                provenance["encoders"][suite_.metrics[m].id] = encoder->description();
        }
    }

    /// One sheet for each model and each of the first prompts: the methods are its rows.
    void draw_sheets() {
        for (std::size_t model = 0; model < suite_.models.size(); ++model) {
            for (std::size_t prompt = 0; prompt < std::min(suite_.samples, suite_.prompts.size()); ++prompt)
                draw_sheet_of(model, prompt);
        }
    }

    void draw_sheet_of(std::size_t model, std::size_t prompt) {
        std::vector<std::vector<Image>> pictures;  // which the rows point at
        for (const FoundPrompts& method : found_[model]) {
            const std::vector<FoundGroup>& groups = method[prompt];
            const bool is_there = !groups.empty() && !groups.front().kept.folder.empty();
            pictures.push_back(is_there ? pictures_of(groups.front()) : std::vector<Image>());
        }
        Sheet sheet{suite_.prompts[prompt].text, suite_.models[model].name, {}};
        for (std::size_t method = 0; method < pictures.size(); ++method) {
            if (pictures[method].empty()) continue;
            SheetRow row{suite_.methods[method].name, {}};
            for (const Image& image : pictures[method]) row.cells.push_back({&image, ""});
            sheet.rows.push_back(std::move(row));
        }
        if (!sheet.rows.empty())
            results_.sheets.push_back(
                {suite_.models[model].id, prompt, at_most(draw_sheet(sheet), kLongestSheet)});
    }

    const Suite& suite_;
    const std::vector<WorkItem>& items_;
    Store& store_;
    EncoderSet& encoders_;
    Reference& reference_;
    const ScoringEvents& events_;
    std::vector<std::vector<FoundPrompts>> found_;  // [model][method]
    Results results_;
};

}  // namespace

Results score(const Suite& suite, const std::vector<PreparedModel>& models,
              const std::vector<WorkItem>& items, Store& store, EncoderSet& encoders, Reference& reference,
              const ScoringEvents& events) {
    return Scoring(suite, items, store, encoders, reference, events).run(models);
}

}  // namespace gass::eval
