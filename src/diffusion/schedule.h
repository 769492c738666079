#pragma once

#include "diffusion/parameterization.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace gass {

/// One evaluation of the denoiser and the move that follows it.
struct Step {
    double timestep = 0.0;  ///< what the network is told
    NoiseLevel from;
    NoiseLevel to;
    double input_scale = 1.0;  ///< the network sees x times this
};

/// How a step moves x, given the estimate at its start.
enum class SolverKind { first_order, dpmpp_2m, plms };

/// The way from noise to image.
struct Schedule {
    Prediction prediction = Prediction::epsilon;
    SolverKind solver = SolverKind::first_order;
    double initial_scale = 1.0;       ///< unit noise times this is the x to start from
    double train_timesteps = 1000.0;  ///< `timestep` divided by it is the time in 0…1
    std::vector<Step> steps;          ///< PLMS has one more than was asked for
    /// DPM-Solver++(2M) only: steps that must not use the estimate before them, and its second-order form.
    std::vector<bool> first_order_steps;
    bool heun = false;
    /// PLMS of two steps and more: steps[1] only looks where steps[0] led (its `from` is its `to`), then the
    /// move of steps[0] is made again, from the first x at this level to steps[1].to.
    std::optional<NoiseLevel> plms_restart;
};

/// The last steps alone, for a start from a picture: `share` of them, one at least. Throws usage for PLMS,
/// whose first steps are made otherwise than the others.
Schedule from_the_middle(Schedule schedule, double share);

/// The steps before `first_fine` taken in `count` of them, as even in time as they allow; unchanged where
/// they are no more than that, and for PLMS, whose first steps belong together.
Schedule with_coarse_start(Schedule schedule, std::size_t first_fine, std::size_t count);

}  // namespace gass
