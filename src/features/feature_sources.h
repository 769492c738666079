#pragma once

#include "features/encoder.h"
#include "features/extract.h"
#include "features/reward_model.h"

#include <gass/measure.h>

#include <string>
#include <vector>

// Networks as extraction sees them, and as results name them.
namespace gass {

/// The network must outlive the result.
FeatureSource source_of(const FeatureEncoder& encoder, bool on_gpu);
/// Scores, [n, 1], of pictures for their prompts: one for each file, in the files' order.
FeatureSource source_of(const RewardModel& model, std::vector<std::string> prompts, bool on_gpu);

EncoderInfo description_of(const FeatureEncoder& encoder);
EncoderInfo description_of(const RewardModel& model);

}  // namespace gass
