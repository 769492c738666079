#pragma once

#include "cache/optional_cache.h"
#include "core/settings.h"
#include "engine.h"
#include "features/encoder.h"
#include "features/extract.h"
#include "features/feature_sources.h"
#include "features/reward_model.h"
#include "measure/image_set.h"
#include "measure/measure.h"
#include "progress.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gass::cli {

/// What gass measure and gass features share: a device, the cache, a progress bar, and the account of files
/// that could not be read.
class FeatureRun {
  public:
    /// Networks compute in fp32 on every device: metrics are compared across machines.
    FeatureRun(const Settings& settings, const PictureOptions& options);

    std::unique_ptr<FeatureEncoder> open(const std::string& name, bool clean) const;
    RewardModel open_reward(const std::string& name) const;

    /// What an encoder makes of each group, and of its prompts if it reads text. Pictures that cannot be read
    /// leave the set. Throws model_invalid if none is left.
    std::vector<GroupFeatures> features(ImageSet& set, const FeatureEncoder& encoder);
    /// The scores of each group's pictures for their prompts, [n, 1]; unreadable ones likewise.
    std::vector<GroupFeatures> scores(ImageSet& set, const RewardModel& model);

    const std::vector<UnreadableFile>& unreadable() const { return unreadable_; }
    std::size_t from_cache() const { return from_cache_; }

  private:
    /// One row for each picture, group by group.
    std::vector<at::Tensor> rows(ImageSet& set, const FeatureSource& source, const std::string& name);
    at::Tensor text_features(const FeatureEncoder& encoder, const std::vector<MeasuredImage>& images);
    at::Tensor text_feature(const FeatureEncoder& encoder, const std::string& prompt);

    nn::Placement placement_;
    std::int64_t batch_;
    std::int64_t resize_first_;
    ProgressMode progress_;
    OptionalCache cache_;
    std::vector<UnreadableFile> unreadable_;
    std::size_t from_cache_ = 0;
};

/// The encoder if none is named: an embedded one.
inline constexpr std::string_view kUsualEncoder = "mini-clip";

/// Names what could not be read, on stderr.
void report_unreadable(const std::vector<UnreadableFile>& files);

/// The pictures that the flags name.
ImageSet image_set_of(const PictureOptions& options);

}  // namespace gass::cli
