#include "guidance/particle_guidance.h"

#include "guidance/levels.h"
#include "guidance/repulsion.h"
#include "guidance/tensors.h"

#include <ATen/ATen.h>

#include <cmath>

namespace gass {
namespace {

Repulsion repulsion(const GroupStep& at, const at::Tensor& moves, const at::Tensor& clean) {
    return {
        .step = at.index, .time = at.time, .latent_moves = finite_numbers(relative_lengths(moves, clean))};
}

}  // namespace

void ParticleGuidanceParams::visit(ParameterVisitor& v) {
    v.number("coefficient", coefficient, {0, 1e6},
             "how hard latents are driven apart, three or more of them; 0 is off");
    v.number("gate", gate, {0, 1000}, "acts while the noise per signal is at least this");
    v.choice("port", port, "score|naive",
             "for flows: by the flow's own score, or subtracted from v as from ε");
}

/// What G is multiplied by to be a move of the clean estimate, which changes by −σ_VE for each unit of ε.
double ParticleGuidance::weight(const NoiseLevel& level) const {
    const double ve = ve_sigma(level);
    if (setup_.family == Family::diffusion) return params_.coefficient * ve * ve;
    const double sigma = unit_sigma(setup_.family, level);
    if (params_.port == "naive") return params_.coefficient * sigma * sigma;
    return params_.coefficient * sigma * ve;
}

at::Tensor ParticleGuidance::steer(const at::Tensor& clean, const GroupStep& at) {
    const NoiseLevel& level = at.step.from;
    const double factor = weight(level);
    // At pure noise the score of a flow says nothing of the image.
    if (factor == 0.0 || clean.size(0) < 3 || ve_sigma(level) < params_.gate || !std::isfinite(factor))
        return clean;
    // The official code sees latents of unit variance, in whatever units a solver holds them.
    const double scale =
        setup_.family == Family::diffusion ? 1.0 / std::hypot(level.signal, level.noise) : 1.0;
    const at::Tensor moves =
        (factor * kernel_repulsion(scale * at.x->flatten(1))).reshape(clean.sizes()).to(clean.options());
    steps_.push_back(repulsion(at, moves, clean));
    return clean + moves;
}

void FeatureParticleGuidanceParams::visit(ParameterVisitor& v) {
    v.number("coefficient", coefficient, {0, 1e6},
             "how hard features are driven apart, three or more of them; 0 is off");
    v.number("gate", gate, {0, 1000}, "acts while the noise per signal is above this");
}

at::Tensor FeatureParticleGuidance::steer(const at::Tensor& clean, const GroupStep& at) {
    const double ve = ve_sigma(at.step.from);
    if (params_.coefficient == 0.0 || clean.size(0) < 3 || !(ve > params_.gate) || !std::isfinite(ve))
        return clean;
    const at::Tensor features = embeddings_of(setup_, clean);
    const at::Tensor gradient =
        pulled_back(setup_, clean, params_.coefficient * kernel_repulsion(features)).nan_to_num(0, 0, 0);
    // ∂x̂0/∂x at a fixed output: 1/√ᾱ where the network predicts ε, 1 for a flow.
    const double slope = setup_.family == Family::diffusion ? 1.0 / unit_signal(at.step.from) : 1.0;
    const at::Tensor moves = ve * slope * gradient;
    steps_.push_back(repulsion(at, moves, clean));
    return clean + moves;
}

}  // namespace gass
