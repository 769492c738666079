#pragma once

#include "diffusion/scheduler_config.h"

#include <cstdint>
#include <vector>

namespace gass {

/// Numbers from `first` to `last` at equal distances, with numpy.linspace's rounding.
std::vector<double> evenly_spaced(double first, double last, std::int64_t count);

/// `leading` timesteps begin at 1, whatever a file's steps_offset says: diffusers' StableDiffusionPipeline
/// overwrites it (and clip_sample, with false), because Stable Diffusion was trained that way.
constexpr std::int64_t kStepsOffset = 1;

/// Whole timesteps, falling: 0, ratio, 2·ratio … moved by the offset.
std::vector<double> leading_timesteps(std::int64_t ratio, std::int64_t count);

/// Whole timesteps, falling from `last` − 1, with numpy.arange's rounding. numpy may count one too many and
/// end at timestep −1, for which diffusers takes the noisiest level; that one is left out.
std::vector<double> trailing_timesteps(std::int64_t last, double ratio);

/// The timesteps of DDIM, PLMS and Euler, falling; those of linspace are not whole.
std::vector<double> spaced_timesteps(TimestepSpacing spacing, std::int64_t train_timesteps,
                                     std::int64_t count);

/// Karras' (arXiv 2206.00364, equation 5) or exponential levels from `largest` to `smallest`, or between the
/// config's own limits where it has them.
std::vector<double> shaped_sigmas(const SchedulerConfig& config, double largest, double smallest,
                                  std::int64_t count);

}  // namespace gass
