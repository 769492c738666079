#pragma once

#include "io/image.h"

namespace gass {

/// Every pixel as a square of `factor` by `factor`: pictures of few pixels stay what they are.
Image enlarged(const Image& image, std::uint32_t factor);

/// A smaller image whose pixels are the mean of the area they cover. Neither side may grow.
Image reduced(const Image& image, std::uint32_t width, std::uint32_t height);

/// The whole picture at a size whose longer side is `side` pixels.
Image fitted(const Image& image, std::uint32_t side);

/// The picture itself, or reduced to a longer side of `side` pixels if it is larger.
Image at_most(const Image& image, std::uint32_t side);

}  // namespace gass
