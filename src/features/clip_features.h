#pragma once

#include "features/encoder.h"

#include <memory>

namespace gass {

/// A CLIPModel, which reads texts too if its folder has the tokenizer. `traits` lack the preprocessing and
/// the dimension yet.
std::unique_ptr<FeatureEncoder> open_clip(EncoderTraits traits, nn::Placement placement);
/// A CLIPVisionModelWithProjection.
std::unique_ptr<FeatureEncoder> open_clip_vision(EncoderTraits traits, nn::Placement placement);
/// A Dinov2Model; its features are the class token's.
std::unique_ptr<FeatureEncoder> open_dinov2(EncoderTraits traits, nn::Placement placement);

}  // namespace gass
