#pragma once

#include "features/encoder.h"

#include <memory>

namespace gass {

/// An SSCDResNet. `traits` lack the preprocessing and the dimension yet.
std::unique_ptr<FeatureEncoder> open_sscd(EncoderTraits traits, nn::Placement placement);
/// An InceptionV3 of either form; `clean` is for the fid form only.
std::unique_ptr<FeatureEncoder> open_inception(EncoderTraits traits, bool clean, nn::Placement placement);

}  // namespace gass
