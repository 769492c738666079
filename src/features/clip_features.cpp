#include "features/network_encoder.h"
#include "models/clip.h"
#include "models/dinov2.h"
#include "models/prompt_tokens.h"

#include <type_traits>

namespace gass {
namespace {

Preprocessing preprocessing_of(const Model& model, const Preprocessing& fallback) {
    const auto config = preprocessor_config_of(model.folder);
    return config ? Preprocessing::from(*config) : fallback;
}

/// A ViT with fixed positions takes one size.
Preprocessing clip_preprocessing(const Model& model, std::int64_t side) {
    Preprocessing result = preprocessing_of(model, Preprocessing::clip(side));
    if (result.result_size() != PictureSize{side, side}) {
        fail(ErrorCode::model_invalid, model.folder.shown(kPreprocessorConfigFile),
             "it makes pictures by \"{}\"; the network takes {}x{}", result.description(), side, side);
    }
    return result;
}

/// Both halves of a CLIPModel; each is read when it is first used, and many never need the text's.
class ClipEncoder : public FeatureEncoder {
  public:
    ClipEncoder(EncoderTraits given, const ClipConfig& config, nn::Placement placement)
        : FeatureEncoder(std::move(given)),
          placement_(placement),
          vision_(half<ClipVision>(config.vision)),
          text_(half<ClipText>(config.text)) {
        const ModelComponent& part = network_part(traits());
        nn::check_network<Clip>(*part.weights, config, part.class_name);
        const Model& model = *traits().model;
        if (model.find("tokenizer") == nullptr) return;
        tokenizer_ = tokenizer_of(model, "tokenizer");
        check_tokenizer(*tokenizer_, tokenizer_->max_length(), config.text, model.folder.root().string());
    }

    at::Tensor encode(const at::Tensor& pixels) const override {
        const at::NoGradGuard no_gradients;
        const at::Tensor placed = pixels.to(placement_.device, placement_.dtype);
        return (*vision_.get())(placed).image_embeds.to(at::kCPU, at::kFloat);
    }

    bool reads_text() const override { return tokenizer_ != nullptr; }

    at::Tensor encode_text(const std::string& prompt) const override {
        if (tokenizer_ == nullptr) return FeatureEncoder::encode_text(prompt);
        const at::NoGradGuard no_gradients;
        const auto length = static_cast<std::int64_t>(tokenizer_->max_length());
        const at::Tensor ids = token_ids(*tokenizer_, prompt, length, placement_.device);
        return (*text_.get())(ids).text_embeds.squeeze(0).to(at::kCPU, at::kFloat);
    }

  private:
    template <class Half, class Config>
    Lazy<Half> half(const Config& config) const {
        return Lazy<Half>([part = network_part(traits()), config, placement = placement_] {
            nn::WeightLoader loader(*part.weights, placement);
            Half network(nn::Parameters(loader), config);
            if constexpr (std::is_same_v<Half, ClipVision>) network.pack();
            return network;
        });
    }

    nn::Placement placement_;
    Lazy<ClipVision> vision_;
    Lazy<ClipText> text_;
    std::unique_ptr<Tokenizer> tokenizer_;
};

}  // namespace

std::unique_ptr<FeatureEncoder> open_clip(EncoderTraits traits, nn::Placement placement) {
    const auto config = config_of<ClipConfig>(network_part(traits));
    traits.preprocessing = clip_preprocessing(*traits.model, config.vision.image_size);
    traits.dimension = config.vision.encoder.projection_dim;
    return std::make_unique<ClipEncoder>(std::move(traits), config, placement);
}

std::unique_ptr<FeatureEncoder> open_clip_vision(EncoderTraits traits, nn::Placement placement) {
    const auto config = config_of<ClipVisionConfig>(network_part(traits));
    traits.preprocessing = clip_preprocessing(*traits.model, config.image_size);
    traits.dimension = config.encoder.projection_dim;
    return std::make_unique<NetworkEncoder<ClipVision>>(
        std::move(traits), config, placement,
        [](const ClipVision& network, const at::Tensor& pixels) { return network(pixels).image_embeds; },
        [](ClipVision& network) { network.pack(); });
}

std::unique_ptr<FeatureEncoder> open_dinov2(EncoderTraits traits, nn::Placement placement) {
    const auto config = config_of<Dinov2Config>(network_part(traits));
    traits.preprocessing = preprocessing_of(*traits.model, Preprocessing::dinov2());
    traits.dimension = config.hidden_size;
    return std::make_unique<NetworkEncoder<Dinov2>>(
        std::move(traits), config, placement,
        [](const Dinov2& network, const at::Tensor& pixels) { return network(pixels).pooled; },
        [](Dinov2& network) { network.pack(); });
}

}  // namespace gass
