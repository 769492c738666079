#pragma once

#include "io/image.h"

namespace gass {

/// Every pixel as a square of `factor` by `factor`: pictures of few pixels stay what they are.
Image enlarged(const Image& image, std::uint32_t factor);

/// A smaller image whose pixels are the mean of the area they cover. Neither side may grow.
Image reduced(const Image& image, std::uint32_t width, std::uint32_t height);

}  // namespace gass
