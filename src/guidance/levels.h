#pragma once

#include "diffusion/method.h"

#include <cmath>
#include <limits>

// The scales on which methods say how noisy a step is. Papers use different ones, and solvers hold x in
// different units; these are the same for all.
namespace gass {

/// What a denoiser was trained to predict along: the two kinds answer differently to the same means.
enum class Family { flow, diffusion };

/// Noise per signal, as where only noise is added to an image ("VE"): √((1−ᾱ)/ᾱ), or σ/(1−σ) of a flow.
inline double ve_sigma(const NoiseLevel& level) {
    return level.signal > 0 ? level.noise / level.signal : std::numeric_limits<double>::infinity();
}

/// 1 noise, 0 image: σ of a flow, √(1−ᾱ) of a diffusion.
inline double unit_sigma(Family family, const NoiseLevel& level) {
    return family == Family::flow ? level.noise / (level.signal + level.noise)
                                  : level.noise / std::hypot(level.signal, level.noise);
}

/// √ᾱ, in whatever units a solver holds x.
inline double unit_signal(const NoiseLevel& level) {
    return level.signal / std::hypot(level.signal, level.noise);
}

/// 1 before the first step, towards 0 at the last.
inline double steps_left(const GroupStep& at) {
    return 1.0 - static_cast<double>(at.index) / static_cast<double>(at.count);
}

}  // namespace gass
