#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace gass {

/// The noise with its lowest cosine modes, as many down and across, times `scale`: larger ones make larger
/// areas of one colour.
at::Tensor with_scaled_coarse_part(const at::Tensor& noise, std::int64_t modes, double scale);

/// How a group's starting noise is spread out.
struct NoiseSpread {
    double amount = 0.0;      ///< 0 leaves the noise alone, 1 makes its coarse part as different as it can be
    double mean_scale = 1.0;  ///< of the noise's mean over the image, which decides colour and light
    std::int64_t modes = 4;   ///< the coarse part: as many cosine modes down and across
};

/// Unit noise [B, C, h, w] whose coarse part, the lowest cosine modes, differs more between the images of a
/// group than chance would have it; each image alone still starts from what looks like unit noise.
///
/// A network decides the layout of an image, its colours and its light from these few modes before it looks
/// at anything else, and independent draws of them are often alike. Every mode loses what the group has in
/// common and gets its variance back, so that images start on opposite sides of it. The means over the image,
/// C numbers, go to the nearest arrangement in which all images are equally far apart (a regular simplex, or
/// a tight frame if there are more images than C + 1), and are scaled. Fine detail stays as drawn.
///
/// Amount 0 and scale 1 return the argument itself, as does a group of one.
at::Tensor spread_noise(const at::Tensor& noise, const NoiseSpread& spread);

}  // namespace gass
