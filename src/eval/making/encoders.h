#pragma once

#include "eval/run/made_group.h"
#include "eval/suite/suite.h"
#include "features/encoder.h"
#include "features/feature_sources.h"
#include "features/prompt_features.h"
#include "features/reward_model.h"
#include "io/image.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gass::eval {

/// A network that images are measured through: an encoder, or an ImageReward.
class Encoder {
  public:
    Encoder(const SuiteMetric& metric, const nn::Placement& placement);
    /// Throws usage if this network cannot serve the metric.
    void check(const SuiteMetric& metric) const;

    /// Stands for the network and how pictures are prepared for it.
    const std::string& key() const { return key_; }
    Json description() const;
    /// nullptr if it is an ImageReward.
    const FeatureEncoder* feature_encoder() const { return encoder_.get(); }
    /// Of an encoder, for extraction from files.
    FeatureSource source() const { return source_of(*encoder_, on_gpu_); }

    ImageFeatures encode(const std::vector<Image>& images, const std::vector<std::string>& prompts) const;
    /// What it makes of the images' prompts: [d] if they have one in common, else [n, d]. Undefined if it
    /// reads none.
    at::Tensor encode_texts(const std::vector<std::string>& prompts) {
        return texts_ ? texts_->of(prompts) : at::Tensor();
    }

  private:
    std::unique_ptr<FeatureEncoder> encoder_;
    std::optional<RewardModel> reward_;
    bool on_gpu_;
    std::string key_;
    std::optional<PromptFeatures> texts_;
};

/// The networks of a suite's metrics, each once. Opened and checked, and their weights read when first used.
class EncoderSet {
  public:
    EncoderSet(const Suite& suite, const nn::Placement& placement);

    /// Of that metric of the suite; nullptr if it looks at no pictures.
    Encoder* of(std::size_t metric) { return by_metric_[metric]; }
    const std::vector<std::unique_ptr<Encoder>>& all() const { return encoders_; }
    std::vector<std::string> keys() const;

  private:
    std::vector<std::unique_ptr<Encoder>> encoders_;
    std::vector<Encoder*> by_metric_;
};

/// [rows, columns], fp32.
at::Tensor tensor_of(const ImageFeatures& features);

}  // namespace gass::eval
