#include "features/network_encoder.h"
#include "models/inception.h"
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

std::unique_ptr<FeatureEncoder> open_inception(EncoderTraits traits, bool clean, nn::Placement placement) {
    constexpr std::int64_t kFeatures = 2048;
    const auto config = config_of<InceptionConfig>(network_part(traits));
    const bool fid = config.form == InceptionForm::fid;
    if (clean && !fid) {
        fail(ErrorCode::usage, "encoder",
             "{} is torchvision's Inception; clean-fid's resizing needs the fid form",
             in_quotes(traits.name));
    }
    traits.kind = fid ? "inception-fid" : "inception";
    traits.preprocessing = fid ? Preprocessing::inception_fid(clean) : Preprocessing::inception();
    traits.dimension = kFeatures;
    return std::make_unique<NetworkEncoder<Inception>>(
        std::move(traits), config, placement,
        [](const Inception& network, const at::Tensor& pixels) {
            return network(channels_last(pixels)).features;
        },
        [](Inception&) {});
}

}  // namespace gass
