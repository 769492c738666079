#pragma once

#include "models/image_normalization.h"
#include "nn/layers.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gass {

/// An image encoder like SSCD's: a ResNet with generalised-mean pooling and a linear embedding.
struct ResNetConfig {
    bool bottleneck = false;
    std::vector<std::int64_t> layers;  // blocks in each of the four stages
    std::int64_t width = 64;           // of the first stage; each later one is twice as wide
    std::int64_t embedding_dim = 512;
    double gem_p = 3.0;
    ImageNormalization image;
    std::vector<std::string> classes;  // names of the classes, if there is a classifier

    /// Channels of the last feature map.
    std::int64_t feature_dim() const { return width * 8 * (bottleneck ? 4 : 1); }
    static ResNetConfig from_json(const Json& json, std::string_view where);
};

class ResNet {
  public:
    struct Output {
        at::Tensor embeddings;  // [B, embedding_dim], unit vectors
        at::Tensor logits;      // [B, classes], undefined without a classifier
    };

    ResNet(const nn::Parameters& place, const ResNetConfig& config);

    /// Normalised pictures [B, 3, H, W] of any size.
    Output operator()(const at::Tensor& pixels) const;

  private:
    struct Block {
        std::vector<nn::NormedConv2d> convolutions;  // two, or three in a bottleneck
        std::optional<nn::NormedConv2d> downsample;

        Block(const nn::Parameters& place, bool bottleneck, std::int64_t in, std::int64_t width,
              std::int64_t stride);
        at::Tensor operator()(const at::Tensor& x) const;
    };

    at::Tensor pooled_features(const at::Tensor& pixels) const;

    double gem_p_;
    nn::NormedConv2d stem_;
    std::vector<Block> blocks_;
    nn::Linear fc_;
    std::optional<nn::Linear> classifier_;
};

}  // namespace gass
