#pragma once

#include "diffusion/scheduler_config.h"

#include <cstdint>

namespace gass {

/// The parts of make_schedule, by the coordinates in which x moves. They fill everything but
/// `train_timesteps` and `prediction`.
Schedule make_alpha_schedule(const SchedulerConfig& config, std::int64_t steps);  // DDIM, PLMS
Schedule make_euler_schedule(const SchedulerConfig& config, std::int64_t steps);
Schedule make_dpm_schedule(const SchedulerConfig& config, std::int64_t steps);
Schedule make_flow_schedule(const SchedulerConfig& config, std::int64_t steps, std::int64_t image_tokens);

}  // namespace gass
