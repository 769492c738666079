#pragma once

#include "models/blip_text.h"
#include "models/blip_vision.h"
#include "models/image_normalization.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace gass {

/// ImageReward: how well people would like a picture for a prompt.
struct ImageRewardConfig {
    BlipVisionConfig vision;
    BlipTextConfig text;
    ImageNormalization image;
    std::vector<std::int64_t> head_sizes;  // between the text encoder and the one output
    std::int64_t text_length = 35;         // a prompt is padded or cut to that many tokens
    double score_mean = 0.16717362830052426;
    double score_deviation = 1.0333394966054072;

    static ImageRewardConfig from_json(const Json& json, std::string_view where);
};

class ImageReward {
  public:
    ImageReward(const nn::Parameters& place, const ImageRewardConfig& config);

    /// pixels [B, 3, size, size], ids and mask [B, T] of the prompts → scores [B], fp32. Larger is better.
    at::Tensor operator()(const at::Tensor& pixels, const at::Tensor& ids, const at::Tensor& mask) const;

  private:
    BlipVision vision_;
    BlipText text_;
    std::vector<nn::Linear> head_;
    double mean_;
    double deviation_;
};

}  // namespace gass
