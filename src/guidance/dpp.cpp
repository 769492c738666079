#include "guidance/dpp.h"

#include "core/optional_number.h"
#include "guidance/repulsion.h"
#include "guidance/tensors.h"

#include <ATen/ATen.h>

namespace gass {

void DppParams::visit(ParameterVisitor& v) {
    v.number("scale", scale, {0, 10}, "how far a step moves latents, as a share of their length; 0 is off");
    v.number("spread", spread, {0.01, 100}, "how narrow the kernel is; larger ones see near neighbours only");
    v.number("from", from, {0, 1}, "acts while the time (1 noise, 0 image) is at most this");
    v.number("until", until, {0, 1}, "and above this one");
}

Dpp::Likelihood Dpp::likelihood(const at::Tensor& embeddings, double spread) {
    const std::int64_t images = embeddings.size(0);
    const at::Tensor f = embeddings.to(at::kCPU, at::kDouble);
    Likelihood none{.value = 0.0, .gradient = at::zeros_like(embeddings)};
    if (images < 2 || !f.isfinite().all().item<bool>()) return none;
    const at::Tensor squares = at::cdist(f, f, 2, /*compute_mode=*/2).square();
    const at::Tensor pairs = at::triu_indices(images, images, 1);
    const double median = squares.index({pairs[0], pairs[1]}).median().item<double>();
    if (!(median > 0)) return none;
    const at::Tensor identity = at::eye(images, at::kDouble);
    // Images that coincide make L singular; a little more on its diagonal keeps the slope finite.
    const at::Tensor kernel = (-spread / median * squares).exp();
    const at::Tensor regular = kernel + 1e-6 * identity;
    const at::Tensor slope = at::linalg_inv(regular) - at::linalg_inv(regular + identity);
    // ∂/∂f_i = Σ_j 2 S_ij ∂L_ij/∂f_i, with S = L⁻¹ − (L + I)⁻¹ and ∂L_ij/∂f_i = −2 spread / m L_ij (f_i −
    // f_j)
    const at::Tensor weights = (-4.0 * spread / median) * slope * kernel;
    const at::Tensor gradient = weights.sum(1, /*keepdim=*/true) * f - weights.matmul(f);
    const double value = (at::logdet(regular) - at::logdet(regular + identity)).item<double>();
    return {value, gradient.to(embeddings.options())};
}

at::Tensor Dpp::steer(const at::Tensor& clean, const GroupStep& at) {
    if (params_.scale == 0.0 || clean.size(0) < 2 || at.time > params_.from || at.time <= params_.until)
        return clean;
    const Likelihood group = likelihood(embeddings_of(setup_, clean), params_.spread);
    const at::Tensor gradient = pulled_back(setup_, clean, group.gradient).nan_to_num(0, 0, 0);
    const at::Tensor lengths = gradient.flatten(1).norm(2, 1);
    const double typical = lengths.square().mean().sqrt().item<double>();
    Repulsion step{.step = at.index, .time = at.time, .likelihood = if_finite(group.value)};
    if (typical == 0.0) {
        step.skipped = "the guide sees no way apart";
        steps_.push_back(std::move(step));
        return clean;
    }
    const at::Tensor own = clean.flatten(1).norm(2, 1).view({-1, 1, 1, 1});
    const at::Tensor moves = (params_.scale / typical) * own * gradient;
    step.latent_moves = finite_numbers(relative_lengths(moves, clean));
    steps_.push_back(std::move(step));
    return clean + moves;
}

}  // namespace gass
