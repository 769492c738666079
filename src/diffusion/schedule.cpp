#include "diffusion/schedule.h"

#include "core/fail.h"
#include "diffusion/schedule_families.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace gass {
namespace {

Schedule make_family_schedule(const SchedulerConfig& config, std::int64_t steps, std::int64_t image_tokens) {
    switch (config.method) {
        case SamplingMethod::ddim:
        case SamplingMethod::plms:
            return make_alpha_schedule(config, steps);
        case SamplingMethod::euler:
            return make_euler_schedule(config, steps);
        case SamplingMethod::dpmpp_2m:
            return make_dpm_schedule(config, steps);
        case SamplingMethod::flow_euler:
            return make_flow_schedule(config, steps, image_tokens);
    }
    return {};
}

bool is_usable(const Step& step) {
    const bool finite = std::isfinite(step.timestep) && std::isfinite(step.from.noise) &&
                        std::isfinite(step.to.signal) && std::isfinite(step.to.noise);
    return finite && step.from.noise > 0 && step.to.noise >= 0;
}

/// Extreme values that are each in range can still make levels that are not numbers.
void check(const Schedule& schedule, const SchedulerConfig& config) {
    const bool usable = !schedule.steps.empty() && std::isfinite(schedule.initial_scale) &&
                        std::all_of(schedule.steps.begin(), schedule.steps.end(), is_usable);
    if (!usable)
        fail(ErrorCode::model_invalid, config.where,
             "its values make noise levels that cannot be sampled with");
    if (schedule.prediction == Prediction::epsilon && schedule.steps.front().from.signal == 0) {
        fail(ErrorCode::model_invalid, config.where,
             "rescale_betas_zero_snr lets sampling begin without any signal, for which the prediction_type "
             "cannot be \"epsilon\"");
    }
}

}  // namespace

Schedule make_schedule(const SchedulerConfig& config, std::int64_t steps, std::int64_t image_tokens) {
    assert(steps >= 1);
    if (steps > config.train_timesteps) {
        fail(ErrorCode::usage, SettingKey("steps"),
             "must be at most {}, the timesteps that the model was trained with", config.train_timesteps);
    }
    Schedule schedule = make_family_schedule(config, steps, image_tokens);
    schedule.prediction = config.prediction;
    schedule.train_timesteps = static_cast<double>(config.train_timesteps);
    check(schedule, config);
    return schedule;
}

Schedule with_coarse_start(Schedule schedule, std::size_t first_fine, std::size_t count) {
    if (first_fine <= count || count == 0 || schedule.solver == SolverKind::plms) return schedule;
    const std::vector<Step>& steps = schedule.steps;
    const bool goes_on = first_fine < steps.size();
    const double first = steps.front().timestep;
    const double last = goes_on ? steps[first_fine].timestep : 0.0;
    std::vector<std::size_t> chosen;
    for (std::size_t k = 0; k < count; ++k) {
        const double wanted = first + (last - first) * static_cast<double>(k) / static_cast<double>(count);
        // Enough steps are left for those that follow.
        std::size_t nearest = chosen.empty() ? 0 : chosen.back() + 1;
        for (std::size_t i = nearest; i + (count - k) <= first_fine; ++i) {
            if (std::abs(steps[i].timestep - wanted) < std::abs(steps[nearest].timestep - wanted))
                nearest = i;
        }
        chosen.push_back(nearest);
    }
    Schedule result = schedule;
    result.steps.clear();
    for (std::size_t k = 0; k < count; ++k) {
        Step step = steps[chosen[k]];
        step.to = k + 1 < count ? steps[chosen[k + 1]].from : steps[first_fine - 1].to;
        result.steps.push_back(step);
    }
    result.steps.insert(result.steps.end(), steps.begin() + static_cast<std::ptrdiff_t>(first_fine),
                        steps.end());
    if (!schedule.first_order_steps.empty()) {
        // Long steps are far from each other: nothing is to be learnt from how the estimate changed.
        result.first_order_steps.assign(count, true);
        result.first_order_steps.insert(
            result.first_order_steps.end(),
            schedule.first_order_steps.begin() + static_cast<std::ptrdiff_t>(first_fine),
            schedule.first_order_steps.end());
    }
    return result;
}

Schedule from_the_middle(Schedule schedule, double share) {
    if (schedule.solver == SolverKind::plms) {
        fail(ErrorCode::usage, SettingKey("sampling_method"),
             "plms cannot begin with a picture; ddim and dpm++2m can");
    }
    const auto steps = static_cast<double>(schedule.steps.size());
    constexpr double kRounding = 1e-9;  // 0.3 of 10 steps are 3
    const auto kept = std::clamp(std::floor(share * steps + kRounding), 1.0, steps);
    const auto skipped = static_cast<std::ptrdiff_t>(steps - kept);
    schedule.steps.erase(schedule.steps.begin(), schedule.steps.begin() + skipped);
    if (!schedule.first_order_steps.empty()) {
        schedule.first_order_steps.erase(schedule.first_order_steps.begin(),
                                         schedule.first_order_steps.begin() + skipped);
    }
    return schedule;
}

}  // namespace gass
