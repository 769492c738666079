#include "guidance/pixel_optimiser.h"

#include "guidance/tensors.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cmath>

namespace gass {
namespace {

/// Adam (Kingma and Ba 2015) with its usual constants, those of torch.optim.Adam.
class Adam {
  public:
    Adam(const at::Tensor& like, double lr)
        : lr_(lr), mean_(at::zeros_like(like)), square_(at::zeros_like(like)) {}

    at::Tensor step(const at::Tensor& x, const at::Tensor& gradient) {
        ++count_;
        mean_.mul_(kFirst).add_(gradient, 1 - kFirst);
        square_.mul_(kSecond).addcmul_(gradient, gradient, 1 - kSecond);
        const at::Tensor size = (square_ / (1 - std::pow(kSecond, count_))).sqrt_().add_(kEpsilon);
        return x - (lr_ / (1 - std::pow(kFirst, count_))) * mean_ / size;
    }

  private:
    static constexpr double kFirst = 0.9;
    static constexpr double kSecond = 0.999;
    static constexpr double kEpsilon = 1e-8;
    double lr_;
    int count_ = 0;
    at::Tensor mean_;
    at::Tensor square_;
};

/// One truth value for each image [B], in the shape of its pixels.
at::Tensor for_pixels(const at::Tensor& images) {
    return images.view({-1, 1, 1, 1});
}

at::Tensor finite_images(const PixelLoss& loss) {
    return loss.losses.isfinite().logical_and(loss.gradient.flatten(1).isfinite().all(1));
}

/// Takes over the images that are `chosen`.
void take(OptimisedPixels& best, const at::Tensor& chosen, const at::Tensor& pixels, const PixelLoss& loss) {
    best.pixels = at::where(for_pixels(chosen), pixels, best.pixels);
    best.embeddings = at::where(chosen.unsqueeze(1), loss.embeddings, best.embeddings);
    best.losses = at::where(chosen, loss.losses, best.losses);
}

std::vector<PixelOutcome> outcomes_of(const at::Tensor& moved, const at::Tensor& finite,
                                      const at::Tensor& sloping) {
    std::vector<PixelOutcome> outcomes;
    for (std::int64_t i = 0; i < moved.size(0); ++i) {
        outcomes.push_back(moved[i].item<bool>()     ? PixelOutcome::moved
                           : !finite[i].item<bool>() ? PixelOutcome::not_finite
                           : sloping[i].item<bool>() ? PixelOutcome::no_better_iterate
                                                     : PixelOutcome::no_gradient);
    }
    return outcomes;
}

/// The loss of all images together; those that have none do not count.
double total(const at::Tensor& losses) {
    return losses.to(at::kDouble).nansum().item<double>();
}

}  // namespace

PixelLoss pixel_loss(const Vision& vision, const at::Tensor& pixels, const at::Tensor& targets,
                     std::int64_t chunk) {
    const at::AutoGradMode gradients_wanted(true);  // sampling runs without
    std::vector<at::Tensor> losses;
    std::vector<at::Tensor> embeddings;
    std::vector<at::Tensor> gradients;
    const std::vector<at::Tensor> target_parts = targets.split(chunk);
    for (const at::Tensor& part : pixels.split(chunk)) {
        const at::Tensor x = part.detach().clone().requires_grad_(true);
        const at::Tensor embedded = vision.embed(x * 2 - 1);
        const at::Tensor loss = 1 - (embedded * target_parts[losses.size()]).sum(-1);
        losses.push_back(loss.detach());
        embeddings.push_back(embedded.detach());
        gradients.push_back(gradient_of(loss.sum(), x));  // zero where the encoder looks at no pixel
    }
    return {at::cat(losses), at::cat(embeddings), at::cat(gradients)};
}

OptimisedPixels optimise_pixels(const Vision& vision, const at::Tensor& pixels, const at::Tensor& targets,
                                const PixelOptimiserOptions& options) {
    PixelLoss loss = pixel_loss(vision, pixels, targets, options.chunk);
    OptimisedPixels best{pixels, loss.embeddings, loss.losses, loss.losses, {}, 0};
    at::Tensor finite = finite_images(loss);
    const at::Tensor sloping = loss.gradient.flatten(1).ne(0).any(1);
    const auto usable_gradient = [&] {
        return at::where(for_pixels(finite.logical_and(sloping)), loss.gradient, 0.0);
    };

    if (!options.adam) {
        const at::Tensor x = (pixels - options.lr * usable_gradient()).clamp(0, 1);
        loss = pixel_loss(vision, x, targets, options.chunk);
        finite = finite.logical_and(loss.losses.isfinite());
        const at::Tensor moved = finite.logical_and(sloping);
        take(best, moved, x, loss);
        best.outcomes = outcomes_of(moved, finite, sloping);
        best.iterations = 1;
        return best;
    }

    Adam adam(pixels, options.lr);
    at::Tensor x = pixels;
    double reached = total(best.losses);
    std::int64_t idle = 0;
    while (best.iterations < options.iterations && idle < options.patience) {
        const at::Tensor movable = finite.logical_and(sloping);
        if (!movable.any().item<bool>()) break;
        x = at::where(for_pixels(movable), adam.step(x, usable_gradient()).clamp(0, 1), x);
        loss = pixel_loss(vision, x, targets, options.chunk);
        finite = finite.logical_and(finite_images(loss));
        take(best, loss.losses < best.losses, x, loss);
        ++best.iterations;
        const double now = total(best.losses);
        const bool gained = reached - now > options.tolerance;
        idle = gained ? 0 : idle + 1;
        if (gained) reached = now;
    }
    best.outcomes = outcomes_of(best.losses < best.start_losses, finite, sloping);
    return best;
}

}  // namespace gass
