#include "guidance/spell.h"

#include "core/optional_number.h"
#include "guidance/tensors.h"
#include "tensor/random.h"

#include <ATen/ATen.h>

#include <cmath>

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

/// Distances between the images, [B, B], and to the shield, [B, K].
double Spell::radius(const at::Tensor& between, const at::Tensor& to_shield, const GroupStep& at) {
    if (params_.radius >= 0) return params_.radius;
    if (calibrated_) return *calibrated_;
    const at::Tensor pairs = at::triu_indices(between.size(0), between.size(0), 1);
    const at::Tensor own = between.index({pairs[0], pairs[1]});
    // One image has no pairs: the shield's distances are what there is.
    const at::Tensor sample = own.numel() > 0 ? own : to_shield.flatten();
    if (sample.numel() == 0) return 0.0;
    const double found = at::quantile(sample, params_.percentile / 100).item<double>();
    if (at.time <= params_.calibrate_time) calibrated_ = found;
    return found;
}

namespace {

/// What keeps points [B, D] away from others [K, D] at these distances.
struct Displacement {
    at::Tensor moves;     ///< Σ_k relu(r / d_ik − 1)(x_i − z_k), [B, D]
    at::Tensor active;    ///< [B], bool
    at::Tensor coincide;  ///< [B]: there is one without a direction from it
};

Displacement push_away(const at::Tensor& points, const at::Tensor& others, const at::Tensor& distances,
                       double radius) {
    const at::Tensor coincide = distances.le(1e-8);
    const at::Tensor weights = (radius / distances.clamp_min(1e-8) - 1).clamp_min(0).masked_fill(coincide, 0);
    return {.moves = weights.sum(1, /*keepdim=*/true) * points - weights.matmul(others),
            .active = weights.gt(0).logical_or(coincide).any(1),
            .coincide = coincide.any(1)};
}

}  // namespace

at::Tensor Spell::steer(const at::Tensor& clean, const GroupStep& at) {
    if (params_.radius == 0.0 || params_.overcompensation == 0.0) return clean;
    const at::Tensor points = clean.flatten(1).to(at::kCPU, at::kDouble);
    const at::Tensor shield = shield_.defined() ? shield_ : points.narrow(0, 0, 0);
    const at::Tensor between = at::cdist(points, points, 2, /*compute_mode=*/2);
    const at::Tensor to_shield = at::cdist(points, shield, 2, /*compute_mode=*/2);
    const double reach = radius(between, to_shield, at);
    if (reach == 0.0) return clean;
    // Nobody is in its own way.
    const Displacement own = push_away(points, points, between.clone().fill_diagonal_(INFINITY), reach);
    const Displacement foreign = push_away(points, shield, to_shield, reach);
    at::Tensor moves = own.moves + foreign.moves;
    const at::Tensor coincide = own.coincide.logical_or(foreign.coincide);
    // Points that coincide have no direction between them: each gets one of its own.
    for (std::int64_t i = 0; i < points.size(0); ++i) {
        if (!coincide[i].item<bool>()) continue;
        const std::uint64_t seed = at.seeds->at(static_cast<std::size_t>(i));
        const at::Tensor direction =
            at::randn({points.size(1)}, make_stream(seed, Purpose::method), at::kDouble);
        moves[i] += reach * direction / direction.norm();
    }
    const at::Tensor active = own.active.logical_or(foreign.active);
    const at::Tensor result =
        active.any().item<bool>()
            ? clean + (params_.overcompensation * moves).reshape(clean.sizes()).to(clean.options())
            : clean;
    steps_.push_back(Repellency{.step = at.index,
                                .time = at.time,
                                .radius = if_finite(reach),
                                .active = if_finite(active.to(at::kDouble).mean().item<double>()),
                                .latent_moves = finite_numbers(relative_lengths(result - clean, clean))});
    return result;
}

}  // namespace gass
