#include "core/fail.h"
#include "feature_run.h"
#include "features/feature_file.h"
#include "interrupt.h"
#include "measurement.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace gass::cli {
namespace {

constexpr std::string_view kFidEncoder = "inception-fid";
constexpr std::string_view kReward = "image-reward";

/// One network, and what is measured with it.
struct Look {
    std::unique_ptr<FeatureEncoder> encoder;
    std::vector<Metric> metrics;
};

bool contains(const std::vector<Metric>& metrics, Metric metric) {
    return std::ranges::find(metrics, metric) != metrics.end();
}

bool can_measure(const FeatureEncoder& encoder, Metric metric) {
    const MetricSpec& spec = spec_of(metric);
    return (!spec.needs_text || encoder.reads_text()) && (!spec.needs_clean || encoder.kind() == kFidEncoder);
}

std::string usual_encoder(Metric metric) {
    const bool is_distance = metric == Metric::fid || metric == Metric::kid || spec_of(metric).needs_clean;
    return std::string(is_distance ? kFidEncoder : kUsualEncoder);
}

class PictureMeasurement {
  public:
    PictureMeasurement(const Settings& settings, const MeasureOptions& options)
        : options_(options),
          how_(metric_options(options)),
          set_(image_set_of(options.pictures)),
          place_(reference_place(options)),
          run_(settings, options.pictures) {
        if (is_feature_file(place_.path) || is_statistics_file(place_.path)) {
            given_reference_ = read_reference(place_.path);
        } else if (!options.reference_features.empty()) {
            fail(ErrorCode::usage, place_.flag, "features are read from .npy, .safetensors and .npz files");
        } else if (!place_.path.empty()) {
            reference_set_ = find_images({.places = {place_.path},
                                          .where = std::string(place_.flag),
                                          .prompt = {},
                                          .prompt_file = {},
                                          .pooled = options.pictures.pooled});
        }
        metrics_ = asked_metrics();
        check_needs(metrics_, has_text(), !place_.path.empty(), "--prompt or --prompt-file");
        open_networks();
    }

    Measurement run() {
        Measurement measurement;
        const auto add = [&](std::vector<MetricResult> found, const Json& encoder) {
            for (MetricResult& result : found) {
                result.encoder = encoder;
                measurement.results.push_back(std::move(result));
            }
        };
        for (const Look& look : looks_) add(measured(look), description_of(*look.encoder));
        for (const RewardModel& model : rewards_)
            add(measure_features({Metric::image_reward}, run_.scores(set_, model), {}, how_),
                description_of(model));
        const auto place = [&](const MetricResult& result) {
            return std::ranges::find(metrics_, result.metric, [](Metric m) { return spec_of(m).name; }) -
                   metrics_.begin();
        };
        std::ranges::stable_sort(measurement.results, {}, place);

        measurement.account = {{"images", set_.image_count()},
                               {"groups", set_.groups.size()},
                               {"from_cache", run_.from_cache()},
                               {"unreadable", Json::array()}};
        for (const UnreadableFile& file : run_.unreadable())
            measurement.account["unreadable"].push_back(
                {{"file", file.file.string()}, {"reason", file.reason}});
        measurement.all_were_read = run_.unreadable().empty();
        report_unreadable(run_.unreadable());
        return measurement;
    }

  private:
    bool has_text() const {
        return std::ranges::all_of(set_.groups, [](const ImageGroup& group) {
            return std::ranges::none_of(group.images,
                                        [](const MeasuredImage& image) { return image.prompt.empty(); });
        });
    }

    std::vector<Metric> asked_metrics() const {
        if (options_.metrics) return parse_metrics(*options_.metrics);
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
        std::vector<std::string> encoders;
        for (const std::string& name : options_.pictures.encoders) {
            if (!is_reward_model(name)) {
                encoders.push_back(name);
            } else if (contains(metrics_, Metric::image_reward)) {
                rewards_.push_back(run_.open_reward(name));
            }
        }
        if (contains(metrics_, Metric::image_reward) && rewards_.empty())
            rewards_.push_back(run_.open_reward(std::string(kReward)));
        for (const Metric metric : metrics_) {
            if (metric == Metric::image_reward) continue;
            bool is_measured = encoders.empty();
            if (encoders.empty()) look_for(metric, usual_encoder(metric));
            for (const std::string& name : encoders) is_measured = look_for(metric, name) || is_measured;
            if (!is_measured)
                fail(ErrorCode::usage, "--encoder", "{} needs {}, which is not among them",
                     spec_of(metric).name,
                     spec_of(metric).needs_text ? "a CLIP model, which reads prompts"
                                                : "an Inception network of the FID form");
        }
    }

    /// Has a network measure this, if it can.
    bool look_for(Metric metric, const std::string& name) {
        const bool clean = spec_of(metric).needs_clean;
        auto look = std::ranges::find_if(looks_, [&](const Look& known) {
            return known.encoder->name() == name && (spec_of(known.metrics.front()).needs_clean == clean);
        });
        if (look == looks_.end()) {
            // Only the network itself knows whether it can be asked for clean-fid's resizing.
            auto encoder = run_.open(name, false);
            if (!can_measure(*encoder, metric)) return false;
            if (clean) encoder = run_.open(name, true);
            looks_.push_back({std::move(encoder), {metric}});
            return true;
        }
        if (!can_measure(*look->encoder, metric)) return false;
        look->metrics.push_back(metric);
        return true;
    }

    std::vector<MetricResult> measured(const Look& look) {
        const bool compares =
            std::ranges::any_of(look.metrics, [](Metric metric) { return spec_of(metric).needs_reference; });
        ReferenceFeatures reference;
        if (compares && given_reference_) {
            reference = *given_reference_;
            check_dimensions(reference, look.encoder->dimension(), look.encoder->name(), place_.flag);
        }
        const std::vector<GroupFeatures> groups = run_.features(set_, *look.encoder);
        if (compares && reference_set_) reference.groups = run_.features(*reference_set_, *look.encoder);
        reference.name = place_.path;
        return measure_features(look.metrics, groups, reference, how_);
    }

    const MeasureOptions& options_;
    MetricOptions how_;
    ImageSet set_;
    ReferencePlace place_;
    FeatureRun run_;
    std::optional<ImageSet> reference_set_;
    std::optional<ReferenceFeatures> given_reference_;
    std::vector<Metric> metrics_;
    std::vector<Look> looks_;
    std::vector<RewardModel> rewards_;
};

}  // namespace

Measurement measure_pictures(const Settings& settings, const MeasureOptions& options) {
    if (!options.text_features.empty())
        fail(ErrorCode::usage, "--text-features", "belongs to --features; images have a --prompt");
    catch_interrupt();
    return PictureMeasurement(settings, options).run();
}

}  // namespace gass::cli
