#include "core/fail.h"
#include "diffusion/schedule_families.h"
#include "diffusion/spacing.h"

#include <cmath>

namespace gass {
namespace {

/// Moves levels towards noise, as larger images need it. Number: float, where the reference computes in fp32.
template <class Number>
Number shifted(double shift, Number sigma) {
    return static_cast<Number>(shift) * sigma / (1 + static_cast<Number>(shift - 1) * sigma);
}

/// How far to shift for an image of this size: linear in its tokens. Values that the file leaves out are the
/// scheduler's (max_shift 1.15); the pipeline's own 1.16 never comes to bear.
double dynamic_amount(const SchedulerConfig::DynamicShift& dynamic, std::int64_t image_tokens) {
    const double slope =
        (dynamic.max_shift - dynamic.base_shift) / (dynamic.max_tokens - dynamic.base_tokens);
    const double at_zero = dynamic.base_shift - slope * dynamic.base_tokens;
    return static_cast<double>(image_tokens) * slope + at_zero;
}

void shift_dynamically(const SchedulerConfig::DynamicShift& dynamic, std::int64_t image_tokens,
                       std::vector<double>& sigmas) {
    const double amount = dynamic_amount(dynamic, image_tokens);
    const double factor = dynamic.linear ? amount : std::exp(amount);
    for (double& sigma : sigmas) sigma = factor / (factor + (1 / sigma - 1));
}

/// Stretches the levels so that the last is `terminal` and 1 stays 1.
void stretch_to(double terminal, std::vector<double>& sigmas) {
    if (sigmas.size() == 1)
        fail(ErrorCode::usage, SettingKey("steps"), "must be 2 or more with this scheduler (shift_terminal)");
    const double factor = (1 - sigmas.back()) / (1 - terminal);
    for (double& sigma : sigmas) sigma = 1 - (1 - sigma) / factor;
}

std::vector<double> flow_sigmas(const SchedulerConfig& config, std::int64_t steps,
                                std::int64_t image_tokens) {
    const SchedulerConfig::Flow& flow = config.flow;
    const auto count = static_cast<double>(config.train_timesteps);
    float largest = 1.0F;
    float smallest = 1.0F / static_cast<float>(config.train_timesteps);
    // Both ends are shifted here and again below with all between them: that is how the models are sampled.
    if (!flow.dynamic) {
        largest = shifted(flow.shift, largest);
        smallest = shifted(flow.shift, smallest);
    }
    std::vector<double> sigmas = evenly_spaced(largest * count, smallest * count, steps);
    for (double& sigma : sigmas) sigma /= count;
    if (flow.dynamic) {
        shift_dynamically(*flow.dynamic, image_tokens, sigmas);
    } else {
        for (double& sigma : sigmas) sigma = shifted(flow.shift, sigma);
    }
    if (flow.terminal) stretch_to(*flow.terminal, sigmas);
    if (config.sigmas != SigmaForm::trained)
        sigmas = shaped_sigmas(config, sigmas.front(), sigmas.back(), steps);
    return sigmas;
}

}  // namespace

Schedule make_flow_schedule(const SchedulerConfig& config, std::int64_t steps, std::int64_t image_tokens) {
    std::vector<double> sigmas = flow_sigmas(config, steps, image_tokens);
    sigmas.push_back(0.0);
    const auto count = static_cast<float>(config.train_timesteps);
    Schedule schedule;
    for (std::size_t i = 0; i + 1 < sigmas.size(); ++i) {
        const auto from = static_cast<float>(sigmas[i]);
        const auto to = static_cast<float>(sigmas[i + 1]);
        schedule.steps.push_back(
            {.timestep = from * count, .from = {1.0 - from, from}, .to = {1.0 - to, to}});
    }
    return schedule;
}

}  // namespace gass
