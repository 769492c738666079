#pragma once

#include "catalog/model.h"
#include "catalog/preprocessing.h"
#include "loading/lazy.h"
#include "models/image_reward.h"
#include "text/tokenizer.h"

#include <memory>
#include <string>
#include <vector>

namespace gass {

/// Whether a model that may be named as an encoder is an ImageReward.
bool is_reward_model(const std::string& name);

/// ImageReward: how well people would like a picture for a prompt. Opening it checks its files; weights are
/// read when they are first used. Not for several threads at once.
class RewardModel {
  public:
    /// `resize_first` as in EncoderRequest. Throws usage for another model than an ImageReward.
    RewardModel(const std::string& name, std::int64_t resize_first, nn::Placement placement);

    const std::string& name() const { return name_; }
    const Preprocessing& preprocessing() const { return preprocessing_; }
    /// Made when first asked for.
    const std::string& fingerprint() const;

    /// Preprocessed pictures [B, 3, H, W], each for its prompt → scores [B], fp32 on the CPU.
    at::Tensor scores(const at::Tensor& pixels, const std::vector<std::string>& prompts) const;

  private:
    std::string name_;
    nn::Placement placement_;
    Model model_;
    ImageRewardConfig config_;
    Preprocessing preprocessing_;
    std::unique_ptr<Tokenizer> tokenizer_;
    Lazy<ImageReward> network_;
    mutable std::string fingerprint_;
};

}  // namespace gass
