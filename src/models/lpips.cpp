#include "models/lpips.h"

#include "core/fail.h"

#include <ATen/ATen.h>

#include <cmath>
#include <string>
#include <vector>

namespace gass {
namespace {

/// A layer of torchvision's AlexNet, by its number in `features`.
struct Layer {
    std::string_view name;
    std::int64_t in;
    std::int64_t out;
    nn::Conv2dOptions convolution;
    bool pools_first = false;
};

constexpr nn::Conv2dOptions kSameSize{.kernel = 3, .padding = 1};
constexpr std::array kAlexNet{
    Layer{"0", 3, 64, {.kernel = 11, .stride = 4, .padding = 2}},
    Layer{"3", 64, 192, {.kernel = 5, .padding = 2}, true},
    Layer{"6", 192, 384, kSameSize, true},
    Layer{"8", 384, 256, kSameSize},
    Layer{"10", 256, 256, kSameSize},
};

constexpr std::int64_t kPool = 3;
constexpr std::int64_t kPoolStride = 2;

/// As lpips has it: ImageNet's normalisation of pictures in −1…1.
at::Tensor scaled(const at::Tensor& pixels) {
    const auto colours = [&](const std::vector<double>& values) {
        return at::tensor(values, pixels.options()).view({1, 3, 1, 1});
    };
    return (pixels - colours({-0.030, -0.088, -0.188})) / colours({0.458, 0.448, 0.450});
}

std::string lin_name(std::size_t layer) {
    return "lin" + std::to_string(layer);
}

}  // namespace

LpipsConfig LpipsConfig::from_json(const Json& json, std::string_view where) {
    constexpr std::int64_t kLargestSide = 1024;
    nn::ConfigReader reader(json, where);
    LpipsConfig config;
    if (reader.text("net") != "alex") reader.refuse("\"net\" must be \"alex\"");
    config.image_size = reader.integer("image_size", config.image_size, Lpips::kSmallestImage, kLargestSide);
    reader.ignore({"architectures"});
    reader.finish();
    return config;
}

Lpips::Lpips(const nn::Parameters& place, const LpipsConfig&) {
    for (std::size_t i = 0; i < kLayers; ++i) {
        const Layer& layer = kAlexNet.at(i);
        convolutions_.at(i) = {place / "features" / layer.name, layer.in, layer.out, layer.convolution};
        weights_.at(i) = (place / lin_name(i) / "model" / "1").tensor("weight", {1, layer.out, 1, 1});
    }
}

void Lpips::check_weights() const {
    for (std::size_t i = 0; i < kLayers; ++i) {
        const auto least = weights_.at(i).min().item<double>();
        if (!(least >= 0))
            fail(ErrorCode::model_invalid, "LPIPS", "{}.model.1.weight: expected no weight below 0, got {}",
                 lin_name(i), least);
    }
}

at::Tensor Lpips::operator()(const at::Tensor& pixels) const {
    constexpr double kEpsilon = 1e-10;
    at::Tensor x = scaled(pixels);
    std::vector<at::Tensor> parts;
    for (std::size_t i = 0; i < kLayers; ++i) {
        if (kAlexNet.at(i).pools_first) x = at::max_pool2d(x, kPool, kPoolStride);
        x = at::relu(convolutions_.at(i)(x));
        const at::Tensor unit = x / (x.square().sum(1, /*keepdim=*/true).sqrt() + kEpsilon);
        const auto places = static_cast<double>(x.size(2) * x.size(3));  // the distance is a mean over them
        parts.push_back((unit * (weights_.at(i) / places).sqrt()).flatten(1));
    }
    return at::cat(parts, 1);
}

std::int64_t Lpips::width(std::int64_t image_size) {
    std::int64_t side = image_size;
    std::int64_t numbers = 0;
    for (const Layer& layer : kAlexNet) {
        if (layer.pools_first) side = (side - kPool) / kPoolStride + 1;
        const nn::Conv2dOptions& convolution = layer.convolution;
        side = (side + 2 * convolution.padding - convolution.kernel) / convolution.stride + 1;
        numbers += layer.out * side * side;
    }
    return numbers;
}

}  // namespace gass
