#include "core/fail.h"
#include "diffusion/schedule_families.h"
#include "diffusion/spacing.h"

#include <cmath>

namespace gass {
namespace {

NoiseLevel level_at(const SchedulerConfig& config, std::int64_t timestep) {
    if (timestep < 0 && config.ends_without_noise) return {1.0, 0.0};
    const double alpha_bar = config.alpha_bars[timestep < 0 ? 0 : static_cast<std::size_t>(timestep)];
    return {std::sqrt(alpha_bar), std::sqrt(1 - alpha_bar)};
}

std::vector<std::int64_t> whole_timesteps(const SchedulerConfig& config, std::int64_t steps) {
    std::vector<std::int64_t> timesteps;
    for (const double timestep : spaced_timesteps(config.spacing, config.train_timesteps, steps))
        timesteps.push_back(static_cast<std::int64_t>(std::nearbyint(timestep)));
    // The offset moves the first one out when every timestep is taken.
    if (timesteps.front() >= config.train_timesteps)
        fail(ErrorCode::usage, SettingKey("steps"), "must be at most {} with this scheduler", steps - 1);
    return timesteps;
}

}  // namespace

Schedule make_alpha_schedule(const SchedulerConfig& config, std::int64_t steps) {
    const std::vector<std::int64_t> timesteps = whole_timesteps(config, steps);
    // Every step is this long, also where the spacing leaves another distance to the next one.
    const std::int64_t length = config.train_timesteps / steps;
    Schedule schedule;
    for (const std::int64_t timestep : timesteps) {
        schedule.steps.push_back({.timestep = static_cast<double>(timestep),
                                  .from = level_at(config, timestep),
                                  .to = level_at(config, timestep - length)});
    }
    if (config.method != SamplingMethod::plms) return schedule;

    schedule.solver = SolverKind::plms;
    if (timesteps.size() > 1) {
        const std::int64_t doubled = timesteps[1];
        const NoiseLevel level = level_at(config, doubled);
        const Step correction{.timestep = static_cast<double>(doubled), .from = level, .to = level};
        schedule.steps.insert(schedule.steps.begin() + 1, correction);
        schedule.plms_restart = level_at(config, doubled + length);
    }
    return schedule;
}

}  // namespace gass
