#pragma once

#include "guidance/vision.h"

#include <cstdint>
#include <vector>

namespace gass {

/// Eq. 7's loss of each image, 1 − ⟨E(X), target⟩, and its gradient with respect to the pixels (0…1).
struct PixelLoss {
    at::Tensor losses;      // [B]
    at::Tensor embeddings;  // [B, d], E(X)
    at::Tensor gradient;    // of the losses' sum, [B, 3, H, W]
};
/// `chunk` images in a backward pass; the result does not depend on it.
PixelLoss pixel_loss(const Vision& vision, const at::Tensor& pixels, const at::Tensor& targets,
                     std::int64_t chunk);

struct PixelOptimiserOptions {
    bool adam = true;  ///< else the one plain gradient step of Eq. 8
    double lr = 1e-4;  ///< of Adam; the step size η of Eq. 8
    std::int64_t iterations = 60;
    double tolerance = 5e-4;    ///< a gain of the group's loss up to this counts as none
    std::int64_t patience = 4;  ///< iterations without gain before it stops
    std::int64_t chunk = 1;
};

/// What became of an image, and why it stayed where it stayed.
enum class PixelOutcome { moved, no_better_iterate, no_gradient, not_finite };

struct OptimisedPixels {
    at::Tensor pixels;      // [B, 3, H, W] in 0…1
    at::Tensor embeddings;  // [B, d], of these
    at::Tensor losses;      // [B], likewise
    at::Tensor start_losses;
    std::vector<PixelOutcome> outcomes;
    std::int64_t iterations = 0;
};

/// Moves pixels until their embeddings are where they should be. Adam gives each image's best iterate, the
/// start among them, and stops when the group gains no more; Eq. 8 takes its step whether it helps or not. An
/// image whose gradient is 0 at the start, or whose loss or gradient is not finite, moves no further.
OptimisedPixels optimise_pixels(const Vision& vision, const at::Tensor& pixels, const at::Tensor& targets,
                                const PixelOptimiserOptions& options);

}  // namespace gass
