#pragma once

#include "features/encoder.h"
#include "loading/component.h"

#include <ATen/core/grad_mode.h>

#include <memory>
#include <utility>

namespace gass {

/// The network of a model that is one.
inline const ModelComponent& network_part(const EncoderTraits& traits) {
    return *traits.model->find("model");
}

/// Any network with the function that takes the features out of what it computes.
template <class Network>
class NetworkEncoder : public FeatureEncoder {
  public:
    using Features = at::Tensor (*)(const Network&, const at::Tensor&);
    using Prepare = void (*)(Network&);  // behind reading the weights

    template <class Config>
    NetworkEncoder(EncoderTraits given, const Config& config, nn::Placement placement, Features features,
                   Prepare prepare)
        : FeatureEncoder(std::move(given)),
          placement_(placement),
          network_([part = network_part(traits()), config, placement, prepare] {
              nn::WeightLoader loader(*part.weights, placement);
              Network network(nn::Parameters(loader), config);
              prepare(network);
              return network;
          }),
          features_(features) {
        nn::check_network<Network>(*network_part(traits()).weights, config,
                                   network_part(traits()).class_name);
    }

    at::Tensor encode(const at::Tensor& pixels) const override {
        const at::NoGradGuard no_gradients;
        const at::Tensor placed = pixels.to(placement_.device, placement_.dtype);
        return features_(*network_.get(), placed).to(at::kCPU, at::kFloat);
    }

  private:
    nn::Placement placement_;
    Lazy<Network> network_;
    Features features_;
};

/// A CLIPModel, which reads texts too if its folder has the tokenizer. `traits` lack the preprocessing and
/// the dimension yet.
std::unique_ptr<FeatureEncoder> open_clip(EncoderTraits traits, nn::Placement placement);
/// A CLIPVisionModelWithProjection.
std::unique_ptr<FeatureEncoder> open_clip_vision(EncoderTraits traits, nn::Placement placement);
/// A Dinov2Model; its features are the class token's.
std::unique_ptr<FeatureEncoder> open_dinov2(EncoderTraits traits, nn::Placement placement);

/// An SSCDResNet.
std::unique_ptr<FeatureEncoder> open_sscd(EncoderTraits traits, nn::Placement placement);
/// An InceptionV3 of either form; `clean` is for the fid form only.
std::unique_ptr<FeatureEncoder> open_inception(EncoderTraits traits, bool clean, nn::Placement placement);
/// An LPIPS.
std::unique_ptr<FeatureEncoder> open_lpips(EncoderTraits traits, nn::Placement placement);

}  // namespace gass
