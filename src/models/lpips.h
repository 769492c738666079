#pragma once

#include "nn/config.h"
#include "nn/layers.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gass {

struct LpipsConfig {
    std::int64_t image_size = 256;  ///< of a side of the pictures that are compared

    static LpipsConfig from_json(const Json& json, std::string_view where);
};

/// LPIPS (Zhang et al. 2018, version 0.1) on AlexNet. It is a sum of weighted squares, and so the squared
/// distance of two rows of numbers, each of which has one picture to it: that is what this gives.
class Lpips {
  public:
    static constexpr std::int64_t kSmallestImage = 31;

    Lpips(const nn::Parameters& place, const LpipsConfig& config);

    /// Throws model_invalid for a channel that counts less than nothing: there is no such row then.
    void check_weights() const;

    /// Pictures [B, 3, H, W] in −1…1 → [B, width], for square ones of that size.
    at::Tensor operator()(const at::Tensor& pixels) const;
    static std::int64_t width(std::int64_t image_size);

  private:
    static constexpr std::size_t kLayers = 5;

    std::array<nn::Conv2d, kLayers> convolutions_;
    std::array<at::Tensor, kLayers> weights_;  // of each layer's channels, [1, channels, 1, 1]
};

}  // namespace gass
