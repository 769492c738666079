#include "models/resnet.h"

#include <ATen/ATen.h>

#include <numeric>

namespace gass {
namespace {

constexpr std::int64_t kExpansion = 4;  // a bottleneck's output is that many times its width

std::int64_t block_channels(bool bottleneck, std::int64_t width) {
    return bottleneck ? width * kExpansion : width;
}

/// A convolution that keeps the size at stride 1, and its norm: "conv2" and "bn2", for instance.
nn::NormedConv2d convolution(const nn::Parameters& place, int index, std::int64_t in, std::int64_t out,
                             std::int64_t kernel, std::int64_t stride) {
    const std::string number = std::to_string(index);
    const std::int64_t padding = kernel / 2;
    return {place / ("conv" + number),
            place / ("bn" + number),
            in,
            out,
            {.kernel = {kernel, kernel}, .stride = stride, .padding = {padding, padding}}};
}

}  // namespace

ResNetConfig ResNetConfig::from_json(const Json& json, std::string_view where) {
    constexpr std::int64_t kMostBlocks = 512;
    constexpr std::int64_t kWidest = 8192;
    nn::ConfigReader reader(json, where);
    ResNetConfig config;
    const std::string block = reader.text("block");
    if (block != "basic" && block != "bottleneck")
        reader.refuse("\"block\" must be \"basic\" or \"bottleneck\"");
    config.bottleneck = block == "bottleneck";
    config.layers = reader.integers("layers");
    if (config.layers.size() != 4 ||
        std::accumulate(config.layers.begin(), config.layers.end(), std::int64_t{0}) > kMostBlocks) {
        reader.refuse("\"layers\" must be four numbers of blocks, 512 together at most");
    }
    config.width = reader.integer("width", std::nullopt, 1, kWidest);
    config.embedding_dim = reader.integer("embedding_dim");
    config.gem_p = reader.number("gem_p");
    if (config.gem_p <= 0) reader.refuse("\"gem_p\" must be positive");
    config.image = ImageNormalization::from_json(json, reader);
    config.classes = reader.texts("classes", std::vector<std::string>{});
    reader.ignore({"architectures", "val_accuracy"});
    reader.finish();
    return config;
}

ResNet::Block::Block(const nn::Parameters& place, bool bottleneck, std::int64_t in, std::int64_t width,
                     std::int64_t stride) {
    const std::int64_t out = block_channels(bottleneck, width);
    if (bottleneck) {
        convolutions = {convolution(place, 1, in, width, 1, 1),
                        convolution(place, 2, width, width, 3, stride),
                        convolution(place, 3, width, out, 1, 1)};
    } else {
        convolutions = {convolution(place, 1, in, width, 3, stride),
                        convolution(place, 2, width, width, 3, 1)};
    }
    if (stride != 1 || in != out) {
        const nn::Parameters shortcut = place / "downsample";
        downsample =
            nn::NormedConv2d(shortcut / 0, shortcut / 1, in, out, {.kernel = {1, 1}, .stride = stride});
    }
}

at::Tensor ResNet::Block::operator()(const at::Tensor& x) const {
    at::Tensor y = convolutions.front()(x);
    for (std::size_t i = 1; i < convolutions.size(); ++i) y = convolutions[i](at::relu(y));
    return at::relu(y + (downsample ? (*downsample)(x) : x));
}

ResNet::ResNet(const nn::Parameters& place, const ResNetConfig& config)
    : gem_p_(config.gem_p), stem_(convolution(place, 1, 3, config.width, 7, 2)) {
    std::int64_t channels = config.width;
    for (std::size_t stage = 0; stage < config.layers.size(); ++stage) {
        const std::int64_t width = config.width << stage;
        const nn::Parameters stage_place = place / ("layer" + std::to_string(stage + 1));
        for (std::int64_t i = 0; i < config.layers[stage]; ++i) {
            const std::int64_t stride = stage > 0 && i == 0 ? 2 : 1;
            blocks_.emplace_back(stage_place / i, config.bottleneck, channels, width, stride);
            channels = block_channels(config.bottleneck, width);
        }
    }
    fc_ = nn::Linear(place / "fc", channels, config.embedding_dim);
    if (!config.classes.empty()) {
        classifier_.emplace(place / "classifier", channels, static_cast<std::int64_t>(config.classes.size()));
    }
}

at::Tensor ResNet::pooled_features(const at::Tensor& pixels) const {
    constexpr double kSmallest = 1e-6;
    at::Tensor x = at::relu(stem_(pixels));           // [B, width, H/2, W/2]
    x = at::max_pool2d(x, 3, 2, 1);                   // [B, width, H/4, W/4]
    for (const Block& block : blocks_) x = block(x);  // [B, features, H/32, W/32]
    // In fp32: the power of the smallest value would vanish in fp16.
    const at::Tensor powers = x.to(at::kFloat).clamp_min(kSmallest).pow(gem_p_);
    return powers.mean({-2, -1}).pow(1.0 / gem_p_).to(x.scalar_type());  // [B, features]
}

ResNet::Output ResNet::operator()(const at::Tensor& pixels) const {
    const at::Tensor features = pooled_features(pixels);
    const at::Tensor embeddings = fc_(features);
    const at::Tensor length = at::linalg_vector_norm(embeddings, 2, at::IntArrayRef{-1}, true);
    return {embeddings / length.clamp_min(1e-12), classifier_ ? (*classifier_)(features) : at::Tensor()};
}

}  // namespace gass
