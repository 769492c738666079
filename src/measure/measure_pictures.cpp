#include "core/fail.h"
#include "features/feature_file.h"
#include "features/feature_sources.h"
#include "measure/feature_run.h"
#include "measure/measurement.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace gass {
namespace {

constexpr std::string_view kLpipsKind = "lpips";

/// One encoder, and what is measured with it.
struct EncoderTask {
    std::unique_ptr<FeatureEncoder> encoder;
    std::vector<Metric> metrics;
};

/// An LPIPS measures that and nothing else: but for their distances its features mean nothing.
bool can_measure(const FeatureEncoder& encoder, const MetricSpec& spec) {
    if (encoder.kind() == kLpipsKind && spec.only_kind != kLpipsKind) return false;
    return (!spec.needs_text || encoder.reads_text()) &&
           (spec.only_kind.empty() || encoder.kind() == spec.only_kind);
}

/// What an encoder must be for a metric, in words.
std::string needed_encoder(const MetricSpec& spec) {
    if (spec.needs_text) return "a CLIP model, which reads prompts";
    if (spec.only_kind == kLpipsKind) return "an LPIPS network";
    if (spec.needs_clean || spec.needs_classes) return "an Inception network of the FID form";
    if (spec.only_kind.empty()) return "an encoder of features, a CLIP for instance";
    return std::string(spec.only_kind);
}

ImageSet images_of(const MeasureRequest& request) {
    return find_images({.places = request.images,
                        .pictures = request.pictures,
                        .prompt = request.prompt,
                        .prompt_file = request.prompt_file,
                        .pooled = request.pooled});
}

class PictureMeasurement {
  public:
    PictureMeasurement(const MeasureRequest& request, const MeasureEvents& events)
        : request_(request),
          set_(images_of(request)),
          place_(reference_place(request)),
          run_(request, events) {
        if (is_feature_file(place_.path) || is_statistics_file(place_.path)) {
            given_reference_ = read_reference(place_.path);
        } else if (!request.reference_features.empty()) {
            fail(ErrorCode::usage, place_.setting,
                 "features are read from .npy, .safetensors and .npz files");
        } else if (!place_.path.empty()) {
            reference_set_ = find_images({.places = {place_.path},
                                          .where = fmt::format("`{}`", place_.setting.key),
                                          .prompt = {},
                                          .prompt_file = {},
                                          .pooled = request.pooled});
        }
        metrics_ = asked_metrics();
        check_needs(metrics_, has_text(), !place_.path.empty(), "`prompt` or `prompt_file`");
        open_networks();
    }

    MeasureResult run() {
        MeasureResult result;
        const MetricOptions how = metric_options(request_);
        const auto add = [&](std::vector<MetricResult> found, const EncoderInfo& encoder) {
            for (MetricResult& one : found) {
                one.encoder = encoder;
                result.results.push_back(std::move(one));
            }
        };
        for (const EncoderTask& task : tasks_) add(measured(task, how), description_of(*task.encoder));
        for (const RewardModel& model : rewards_)
            add(measure_features(rewarded_, run_.scores(set_, model), {}, how), description_of(model));
        const auto place = [&](const MetricResult& one) {
            return std::ranges::find(metrics_, one.metric, [](Metric m) { return spec_of(m).name; }) -
                   metrics_.begin();
        };
        std::ranges::stable_sort(result.results, {}, place);
        result.images = set_.image_count();
        result.groups = set_.groups.size();
        result.from_cache = run_.from_cache();
        result.unreadable = run_.unreadable();
        return result;
    }

  private:
    bool has_text() const {
        return std::ranges::all_of(set_.groups, [](const ImageGroup& group) {
            return std::ranges::none_of(group.images,
                                        [](const MeasuredImage& image) { return image.prompt.empty(); });
        });
    }

    std::vector<Metric> asked_metrics() const {
        if (!request_.metrics.empty()) return metrics_of(request_.metrics);
        const auto all = [&](auto holds) { return std::ranges::all_of(set_.groups, holds); };
        return usual_metrics(
            {.pairs = all([](const ImageGroup& group) { return group.images.size() > 1; }),
             .text = has_text(),
             .one_prompt = has_text() && all([](const ImageGroup& group) {
                               const std::string& first = group.images.front().prompt;
                               return std::ranges::all_of(group.images, [&](const MeasuredImage& image) {
                                   return image.prompt == first;
                               });
                           }),
             .reference = reference_set_ || (given_reference_ && !given_reference_->groups.empty())});
    }

    /// Everything is opened, and so checked, before the first picture is looked at.
    void open_networks() {
        for (const Metric metric : metrics_) {
            if (spec_of(metric).needs_reward) rewarded_.push_back(metric);
        }
        std::vector<std::string> encoders;
        for (const std::string& name : request_.encoders) {
            if (!is_reward_model(name)) {
                encoders.push_back(name);
            } else if (!rewarded_.empty()) {
                rewards_.push_back(run_.open_reward(name));
            }
        }
        if (!rewarded_.empty() && rewards_.empty())
            rewards_.push_back(run_.open_reward(std::string(spec_of(rewarded_.front()).encoder)));
        for (const Metric metric : metrics_) {
            const MetricSpec& spec = spec_of(metric);
            if (spec.needs_reward) continue;
            bool is_measured = encoders.empty();
            if (encoders.empty()) assign(spec, std::string(spec.encoder));
            for (const std::string& name : encoders) is_measured = assign(spec, name) || is_measured;
            if (!is_measured)
                fail(ErrorCode::usage, SettingKey("encoder"), "{} needs {}, which is not among them",
                     spec.name, needed_encoder(spec));
        }
    }

    /// Has a network measure this, if it can.
    bool assign(const MetricSpec& spec, const std::string& name) {
        auto task = std::ranges::find_if(tasks_, [&](const EncoderTask& known) {
            const MetricSpec& first = spec_of(known.metrics.front());
            return known.encoder->name() == name && first.needs_clean == spec.needs_clean &&
                   first.needs_classes == spec.needs_classes;
        });
        if (task == tasks_.end()) {
            // Only the network itself knows whether it can be asked for clean-fid's resizing, or for classes.
            auto encoder = run_.open(name);
            if (!can_measure(*encoder, spec)) return false;
            if (spec.needs_clean || spec.needs_classes)
                encoder = run_.open(name, spec.needs_clean, spec.needs_classes);
            tasks_.push_back({std::move(encoder), {spec.metric}});
            return true;
        }
        if (!can_measure(*task->encoder, spec)) return false;
        task->metrics.push_back(spec.metric);
        return true;
    }

    std::vector<MetricResult> measured(const EncoderTask& task, const MetricOptions& how) {
        const bool compares =
            std::ranges::any_of(task.metrics, [](Metric metric) { return spec_of(metric).needs_reference; });
        ReferenceFeatures reference;
        if (compares && given_reference_) {
            reference = *given_reference_;
            check_dimensions(reference, task.encoder->dimension(), task.encoder->name(), place_.setting);
        }
        const std::vector<GroupFeatures> groups = task.encoder->kind() == kLpipsKind
                                                      ? run_.features_by_group(set_, *task.encoder)
                                                      : run_.features(set_, *task.encoder);
        if (compares && reference_set_) reference.groups = run_.features(*reference_set_, *task.encoder);
        reference.name = place_.path;
        return measure_features(task.metrics, groups, reference, how);
    }

    const MeasureRequest& request_;
    ImageSet set_;
    ReferencePlace place_;
    FeatureRun run_;
    std::optional<ImageSet> reference_set_;
    std::optional<ReferenceFeatures> given_reference_;
    std::vector<Metric> metrics_;
    std::vector<Metric> rewarded_;  // those of them that an ImageReward gives
    std::vector<EncoderTask> tasks_;
    std::vector<RewardModel> rewards_;
};

}  // namespace

MeasureResult measure_pictures(const MeasureRequest& request, const MeasureEvents& events) {
    return PictureMeasurement(request, events).run();
}

}  // namespace gass
