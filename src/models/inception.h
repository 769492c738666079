#pragma once

#include "nn/config.h"
#include "nn/layers.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace gass {

/// Inception-v3, as torchvision has it or as it is used for FID, with TensorFlow's pooling.
enum class InceptionForm { torchvision, fid };

struct InceptionConfig {
    InceptionForm form = InceptionForm::torchvision;
    std::int64_t num_classes = 1000;
    /// Turns ImageNet's normalisation into (x − ½) / ½ before anything else, as torchvision's own weights
    /// expect.
    bool transform_input = false;

    static InceptionConfig from_json(const Json& json, std::string_view where);
};

class Inception {
  public:
    static constexpr std::int64_t kImageSize = 299;
    static constexpr std::int64_t kSmallestImage = 75;

    struct Output {
        at::Tensor features;  // [B, 2048], the mean over the last feature map
        at::Tensor logits;    // [B, classes]
    };

    Inception(const nn::Parameters& place, const InceptionConfig& config);

    /// Pictures [B, 3, H, W], made for 299×299.
    Output operator()(const at::Tensor& pixels) const;

    /// The logits that TensorFlow's network gives for features [B, 2048]: it has no bias.
    at::Tensor unbiased_logits(const at::Tensor& features) const;

    enum class Pool { none, average, average_without_padding, max, max_and_halve };

    /// Pooling, convolutions one after another, and at the end side by side.
    struct Branch {
        Pool pool = Pool::none;
        std::vector<nn::NormedConv2d> chain = {};
        std::vector<nn::NormedConv2d> fork = {};  // joined; may be empty

        at::Tensor operator()(const at::Tensor& x) const;
    };

    /// Branches over the same input, joined.
    struct Mixed {
        std::vector<Branch> branches;

        at::Tensor operator()(const at::Tensor& x) const;
    };

  private:
    bool transform_input_;
    std::vector<nn::NormedConv2d> stem_;
    std::vector<Mixed> mixed_;
    nn::Linear fc_;
};

}  // namespace gass
