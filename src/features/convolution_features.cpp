#include "features/network_encoder.h"
#include "models/inception.h"
#include "models/lpips.h"
#include "models/resnet.h"

namespace gass {
namespace {

/// oneDNN's convolutions are fastest with the colours last.
at::Tensor channels_last(const at::Tensor& pixels) {
    return pixels.contiguous(at::MemoryFormat::ChannelsLast);
}

}  // namespace

std::unique_ptr<FeatureEncoder> open_sscd(EncoderTraits traits, nn::Placement placement) {
    const auto config = config_of<ResNetConfig>(network_part(traits));
    traits.preprocessing = Preprocessing::sscd(config.image.size, config.image.mean, config.image.deviation);
    traits.dimension = config.embedding_dim;
    return std::make_unique<NetworkEncoder<ResNet>>(
        std::move(traits), config, placement,
        [](const ResNet& network, const at::Tensor& pixels) {
            return network(channels_last(pixels)).embeddings;
        },
        [](ResNet&) {});
}

std::unique_ptr<FeatureEncoder> open_lpips(EncoderTraits traits, nn::Placement placement) {
    const auto config = config_of<LpipsConfig>(network_part(traits));
    traits.preprocessing = Preprocessing::lpips(config.image_size);
    traits.dimension = Lpips::width(config.image_size);
    return std::make_unique<NetworkEncoder<Lpips>>(
        std::move(traits), config, placement,
        [](const Lpips& network, const at::Tensor& pixels) { return network(pixels); },
        [](Lpips& network) { network.check_weights(); });
}

std::unique_ptr<FeatureEncoder> open_inception(EncoderTraits traits, bool clean, nn::Placement placement) {
    constexpr std::int64_t kFeatures = 2048;
    const auto config = config_of<InceptionConfig>(network_part(traits));
    const bool fid = config.form == InceptionForm::fid;
    const bool classes = traits.classes;
    if ((clean || classes) && !fid) {
        fail(ErrorCode::usage, "encoder", "{} is torchvision's Inception; {} needs the fid form",
             in_quotes(traits.name), clean ? "clean-fid's resizing" : "a score of classes");
    }
    traits.kind = fid ? "inception-fid" : "inception";
    traits.preprocessing = fid ? Preprocessing::inception_fid(clean) : Preprocessing::inception();
    traits.dimension = classes ? config.num_classes : kFeatures;
    const auto features = [](const Inception& network, const at::Tensor& pixels) {
        return network(channels_last(pixels)).features;
    };
    const auto logits = [](const Inception& network, const at::Tensor& pixels) {
        return network.unbiased_logits(network(channels_last(pixels)).features);
    };
    using Features = NetworkEncoder<Inception>::Features;
    return std::make_unique<NetworkEncoder<Inception>>(std::move(traits), config, placement,
                                                       classes ? Features(logits) : Features(features),
                                                       [](Inception&) {});
}

}  // namespace gass
