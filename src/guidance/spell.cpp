#include "guidance/spell.h"

#include "core/random.h"
#include "guidance/numbers.h"

#include <ATen/ATen.h>

namespace gass {

void SpellParams::visit(ParameterVisitor& v) {
    v.number("radius", radius, {-1, 1e6},
             "latents keep this distance; 0 is off, -1 measures the group's own");
    v.number("overcompensation", overcompensation, {0, 10}, "1 moves to the edge of a ball, more beyond it");
    v.number("percentile", percentile, {0, 100}, "a measured radius is this percentile of the distances");
    v.number("calibrate_time", calibrate_time, {0, 1},
             "measured anew at each step down to this time, and kept from there on");
}

Spell::Spell(const SpellParams& params, const MethodSetup& setup) : params_(params) {
    if (setup.shield.defined()) shield_ = setup.shield.flatten(1).to(at::kCPU, at::kDouble);
}

/// Distances [B, K] to everything that is to be kept away from; those between images come first.
double Spell::radius(const at::Tensor& distances, const GroupStep& at) {
    if (params_.radius >= 0) return params_.radius;
    if (calibrated_) return *calibrated_;
    const std::int64_t images = distances.size(0);
    const at::Tensor pairs = at::triu_indices(images, images, 1);
    const at::Tensor own = distances.narrow(1, 0, images).index({pairs[0], pairs[1]});
    // One image has no pairs: the shield's distances are what there is.
    const at::Tensor sample = own.numel() > 0 ? own : distances.narrow(1, images, distances.size(1) - images);
    if (sample.numel() == 0) return 0.0;
    const double found = at::quantile(sample.flatten(), params_.percentile / 100).item<double>();
    if (at.time <= params_.calibrate_time) calibrated_ = found;
    return found;
}

at::Tensor Spell::steer(const at::Tensor& clean, const GroupStep& at) {
    if (params_.radius == 0.0 || params_.overcompensation == 0.0) return clean;
    const std::int64_t images = clean.size(0);
    const at::Tensor points = clean.flatten(1).to(at::kCPU, at::kDouble);
    const at::Tensor away = shield_.defined() ? at::cat({points, shield_}) : points;
    const at::Tensor distances = at::cdist(points, away, 2, /*compute_mode=*/2);
    const double reach = radius(distances, at);
    // relu(r / d − 1), nobody against itself
    at::Tensor weights = (reach / distances.clamp_min(1e-8) - 1).clamp_min(0);
    weights.narrow(1, 0, images).fill_diagonal_(0);
    const at::Tensor coincide = weights.gt(0).logical_and(distances.le(1e-8));
    weights.masked_fill_(coincide, 0);
    // Σ_k w_ik (x_i − z_k)
    at::Tensor moves = weights.sum(1, /*keepdim=*/true) * points - weights.matmul(away);
    // Points that coincide have no direction between them: each gets one of its own.
    for (std::int64_t i = 0; i < images; ++i) {
        if (!coincide[i].any().item<bool>()) continue;
        const std::uint64_t seed = at.seeds->at(static_cast<std::size_t>(i));
        const at::Tensor direction =
            at::randn({points.size(1)}, make_stream(seed, Purpose::method), at::kDouble);
        moves[i] += reach * direction / direction.norm();
    }
    const at::Tensor active = weights.gt(0).logical_or(coincide).any(1);
    const bool any = active.any().item<bool>();
    const at::Tensor result =
        any ? clean + (params_.overcompensation * moves).reshape(clean.sizes()).to(clean.options()) : clean;
    steps_.push_back({{"step", at.index},
                      {"time", at.time},
                      {"kind", "shield"},
                      {"radius", reach},
                      {"active", active.to(at::kDouble).mean().item<double>()},
                      {"latent_move", numbers(relative_lengths(result - clean, clean))}});
    return result;
}

}  // namespace gass
