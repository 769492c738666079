#include "measure/feature_run.h"

#include "core/fail.h"
#include "core/wording.h"
#include "features/feature_sources.h"
#include "features/prompt_features.h"
#include "metrics/squared_distances.h"
#include "nn/device.h"
#include "nn/process.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace gass {
namespace {

/// What an encoder that reads texts makes of each group's prompts; nothing where an image has none.
void add_texts(std::vector<GroupFeatures>& features, const ImageSet& set, PromptFeatures& texts) {
    for (std::size_t i = 0; i < features.size(); ++i) {
        std::vector<std::string> prompts;
        for (const MeasuredImage& image : set.groups[i].images) prompts.push_back(image.prompt);
        if (std::ranges::find(prompts, "") == prompts.end()) features[i].texts = texts.of(prompts);
    }
}

}  // namespace

FeatureRun::FeatureRun(const Options& options, const MeasureEvents& events)
    : events_(events),
      placement_{.dtype = at::kFloat, .device = find_device(options.device)},
      batch_(options.max_batch),
      resize_first_(options.resize_first),
      cache_(options.cache ? OptionalCache::of_user() : OptionalCache()) {
    constexpr std::int64_t kUsualBatch = 32;
    if (batch_ == 0) batch_ = kUsualBatch;
    nn::use_threads(options.threads);
    nn::keep_freed_memory();
    prepare_device(placement_.device);
}

std::unique_ptr<FeatureEncoder> FeatureRun::open(const std::string& name, bool clean, bool classes) const {
    return open_encoder({.name = name, .resize_first = resize_first_, .clean = clean, .classes = classes},
                        placement_);
}

RewardModel FeatureRun::open_reward(const std::string& name) const {
    return RewardModel(name, resize_first_, placement_);
}

std::vector<GroupFeatures> FeatureRun::features(ImageSet& set, const FeatureEncoder& encoder) {
    std::vector<GroupFeatures> features =
        gathered(set, source_of(encoder, !placement_.device.is_cpu()), encoder.name());
    PromptFeatures texts(encoder, &cache_);
    add_texts(features, set, texts);
    return features;
}

std::vector<GroupFeatures> FeatureRun::scores(ImageSet& set, const RewardModel& model) {
    return gathered(set, source_of(model, prompts_of(set), !placement_.device.is_cpu()), model.name());
}

std::vector<GroupFeatures> FeatureRun::features_by_group(ImageSet& set, const FeatureEncoder& encoder) {
    const FeatureSource source = source_of(encoder, !placement_.device.is_cpu());
    const std::size_t count = set.image_count();
    std::vector<GroupFeatures> features;
    ImageSet kept;
    std::size_t before = 0;
    for (ImageGroup& group : set.groups) {
        const std::size_t images = group.images.size();
        ImageSet one{{std::move(group)}, std::exchange(set.unreadable, {})};
        for (GroupFeatures& found : readable(one, source, encoder.name(), before, count)) {
            found.images = along_own_axes(found.images);
            features.push_back(std::move(found));
        }
        std::ranges::move(one.groups, std::back_inserter(kept.groups));
        before += images;
    }
    set = std::move(kept);
    if (features.empty()) fail_unread(count);
    return features;
}

std::vector<GroupFeatures> FeatureRun::gathered(ImageSet& set, const FeatureSource& source,
                                                const std::string& name) {
    const std::size_t count = set.image_count();
    std::vector<GroupFeatures> groups = readable(set, source, name, 0, count);
    if (groups.empty()) fail_unread(count);
    return groups;
}

std::vector<GroupFeatures> FeatureRun::readable(ImageSet& set, const FeatureSource& source,
                                                const std::string& name, std::size_t before,
                                                std::size_t count) {
    const auto advance = [&](std::size_t done) {
        if (events_.progress) events_.progress(name, before + done, count);
    };
    if (before == 0) advance(0);
    OptionalCache none;
    Gathered found = gather_features(set, source,
                                     {.batch = batch_,
                                      .cache = source.is_wide ? none : cache_,
                                      .advance = advance,
                                      .should_stop = events_.should_stop});
    from_cache_ += found.from_cache;
    for (UnreadableFile& file : found.unreadable) {
        if (events_.unreadable) events_.unreadable(file);
        unreadable_.push_back(std::move(file));
    }
    return std::move(found.groups);
}

void FeatureRun::fail_unread(std::size_t count) {
    fail(ErrorCode::model_invalid, "pictures", "none of {} could be read", counted(count, "file"));
}

}  // namespace gass
