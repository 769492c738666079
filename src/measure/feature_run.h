#pragma once

#include "cache/optional_cache.h"
#include "features/encoder.h"
#include "features/reward_model.h"
#include "measure/gather.h"
#include "measure/images/image_set.h"
#include "measure/measure_features.h"

#include <gass/measure.h>

#include <memory>
#include <string>
#include <vector>

namespace gass {

/// What measuring and saving features share: a device, the cache, and the account of files that could not be
/// read.
class FeatureRun {
  public:
    /// Networks compute in fp32 on every device: metrics are compared across machines. `Request`: a
    /// MeasureRequest or FeaturesRequest. The events must outlive this.
    template <class Request>
    FeatureRun(const Request& request, const MeasureEvents& events)
        : FeatureRun(
              {request.device, request.max_batch, request.threads, request.resize_first, request.cache},
              events) {}

    std::unique_ptr<FeatureEncoder> open(const std::string& name, bool clean = false,
                                         bool classes = false) const;
    RewardModel open_reward(const std::string& name) const;

    /// What an encoder makes of each group, and of its prompts if it reads text. Pictures that cannot be read
    /// leave the set. Throws model_invalid if none is left.
    std::vector<GroupFeatures> features(ImageSet& set, const FeatureEncoder& encoder);
    /// The same of a network whose features are too wide to be held for all pictures: group after group, each
    /// along axes of its own. What is between pictures of a group stays as it is; groups are not comparable.
    std::vector<GroupFeatures> features_by_group(ImageSet& set, const FeatureEncoder& encoder);
    /// The scores of each group's pictures for their prompts, [n, 1]; unreadable ones likewise.
    std::vector<GroupFeatures> scores(ImageSet& set, const RewardModel& model);

    const std::vector<UnreadableFile>& unreadable() const { return unreadable_; }
    std::size_t from_cache() const { return from_cache_; }

  private:
    struct Options {
        std::string device;
        std::int64_t max_batch;
        std::int64_t threads;
        std::int64_t resize_first;
        bool cache;
    };
    FeatureRun(const Options& options, const MeasureEvents& events);

    std::vector<GroupFeatures> gathered(ImageSet& set, const FeatureSource& source, const std::string& name);
    /// `before` of `count` pictures are behind the network already. May give none.
    std::vector<GroupFeatures> readable(ImageSet& set, const FeatureSource& source, const std::string& name,
                                        std::size_t before, std::size_t count);
    [[noreturn]] static void fail_unread(std::size_t count);

    const MeasureEvents& events_;
    nn::Placement placement_;
    std::int64_t batch_;
    std::int64_t resize_first_;
    OptionalCache cache_;
    std::vector<UnreadableFile> unreadable_;
    std::size_t from_cache_ = 0;
};

}  // namespace gass
