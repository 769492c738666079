#include "core/fail.h"
#include "diffusion/schedule_families.h"
#include "diffusion/spacing.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace gass {
namespace {

// The reference keeps sigmas, their logarithms and the timesteps in fp32, and computes in double between.

/// noise / signal of every training timestep, rising.
std::vector<float> trained_sigmas(const SchedulerConfig& config) {
    std::vector<float> sigmas;
    for (const float alpha_bar : config.alpha_bars)
        sigmas.push_back(std::sqrt((1.0F - alpha_bar) / alpha_bar));
    return sigmas;
}

/// The sigma at a timestep, linear between two that were trained.
double interpolated(const std::vector<float>& sigmas, double timestep) {
    const auto last = static_cast<double>(sigmas.size() - 1);
    if (timestep >= last) return sigmas.back();
    const double below = std::floor(std::max(timestep, 0.0));
    const auto index = static_cast<std::size_t>(below);
    const double low = sigmas[index];
    const double high = sigmas[index + 1];
    return (high - low) * (std::max(timestep, 0.0) - below) + low;
}

/// The timesteps of these sigmas, linear in log(sigma) between two that were trained.
std::vector<double> timesteps_of(const std::vector<double>& sigmas, const std::vector<float>& trained) {
    std::vector<float> logs;
    for (const float sigma : trained) logs.push_back(std::log(sigma));
    std::vector<double> timesteps;
    for (const double sigma : sigmas) {
        const double wanted = std::log(std::max(sigma, 1e-10));
        const auto above = std::upper_bound(logs.begin(), logs.end(), wanted);
        const std::int64_t last_pair = static_cast<std::int64_t>(logs.size()) - 2;
        const std::int64_t index = std::clamp<std::int64_t>(above - logs.begin() - 1, 0, last_pair);
        const float low = logs[static_cast<std::size_t>(index)];
        const float high = logs[static_cast<std::size_t>(index) + 1];
        const double weight = std::clamp((low - wanted) / static_cast<double>(low - high), 0.0,
                                         1.0);  // NaN where they are equal
        const auto base = static_cast<double>(index);
        timesteps.push_back((1 - weight) * base + weight * (base + 1));
    }
    return timesteps;
}

/// Levels equal in logarithm over the whole training: one more than steps, so that none is left for the end.
std::vector<double> log_linear_sigmas(const std::vector<float>& trained, std::int64_t steps) {
    const at::Tensor sigmas =
        at::linspace(std::log(trained.back()), std::log(trained.front()), steps + 1, at::kFloat).exp();
    const float* begin = sigmas.const_data_ptr<float>();
    return {begin, begin + sigmas.numel()};
}

struct SigmaPath {
    std::vector<double> timesteps;
    std::vector<double> sigmas;  // at least one more than timesteps
};

/// Adds the last sigma and rounds as the reference does.
void finish(const SchedulerConfig& config, const std::vector<float>& trained, SigmaPath& path) {
    path.sigmas.push_back(config.ends_at_sigma_min ? trained.front() : 0.0);
    for (double& sigma : path.sigmas) sigma = static_cast<float>(sigma);
}

SigmaPath euler_path(const SchedulerConfig& config, std::int64_t steps) {
    const std::vector<float> trained = trained_sigmas(config);
    SigmaPath path{.timesteps = spaced_timesteps(config.spacing, config.train_timesteps, steps),
                   .sigmas = {}};
    for (double& timestep : path.timesteps) timestep = static_cast<float>(timestep);
    if (config.log_linear_sigmas) {
        path.sigmas = log_linear_sigmas(trained, steps);
    } else {
        for (const double timestep : path.timesteps) path.sigmas.push_back(interpolated(trained, timestep));
    }
    if (config.sigmas != SigmaForm::trained) {
        path.sigmas = shaped_sigmas(config, path.sigmas.front(), path.sigmas.back(), steps);
        path.timesteps = timesteps_of(path.sigmas, trained);
        for (double& timestep : path.timesteps) timestep = static_cast<float>(timestep);
    }
    finish(config, trained, path);
    return path;
}

/// How many of the training's timesteps are not too noisy: lambda = log(signal / noise).
std::int64_t usable_timesteps(const SchedulerConfig& config) {
    const at::Tensor alpha_bars = at::tensor(config.alpha_bars, at::kFloat);
    const at::Tensor lambdas = at::log(at::sqrt(alpha_bars)) - at::log(at::sqrt(1 - alpha_bars));
    const auto clipped =
        at::searchsorted(lambdas.flip(0), config.multistep.lambda_min_clipped).item<std::int64_t>();
    if (clipped >= config.train_timesteps)
        fail(ErrorCode::model_invalid, config.where, "lambda_min_clipped leaves no timestep");
    return config.train_timesteps - clipped;
}

std::vector<double> dpm_timesteps(const SchedulerConfig& config, std::int64_t steps) {
    const std::int64_t usable = usable_timesteps(config);
    switch (config.spacing) {
        case TimestepSpacing::linspace: {
            std::vector<double> timesteps = evenly_spaced(0, static_cast<double>(usable - 1), steps + 1);
            for (double& timestep : timesteps) timestep = std::nearbyint(timestep);
            std::reverse(timesteps.begin(), timesteps.end());
            timesteps.pop_back();
            return timesteps;
        }
        case TimestepSpacing::leading: {
            const std::int64_t ratio = usable / (steps + 1);
            if (ratio == 0)
                fail(ErrorCode::usage, SettingKey("steps"), "must be below {} with this scheduler", usable);
            std::vector<double> timesteps = leading_timesteps(ratio, steps + 1);
            timesteps.pop_back();
            return timesteps;
        }
        case TimestepSpacing::trailing:
            return trailing_timesteps(
                usable, static_cast<double>(config.train_timesteps) / static_cast<double>(steps));
    }
    return {};
}

SigmaPath dpm_path(const SchedulerConfig& config, std::int64_t steps) {
    const std::vector<float> trained = trained_sigmas(config);
    SigmaPath path;
    if (config.sigmas == SigmaForm::trained) {
        path.timesteps = dpm_timesteps(config, steps);
        for (const double timestep : path.timesteps) path.sigmas.push_back(interpolated(trained, timestep));
    } else {
        path.sigmas = shaped_sigmas(config, trained.back(), trained.front(), steps);
        path.timesteps = timesteps_of(path.sigmas, trained);
        const bool rounds = config.sigmas == SigmaForm::karras && config.multistep.rounds_karras_timesteps;
        for (double& timestep : path.timesteps)
            timestep = rounds ? std::nearbyint(timestep) : std::trunc(timestep);
    }
    finish(config, trained, path);
    return path;
}

}  // namespace

Schedule make_euler_schedule(const SchedulerConfig& config, std::int64_t steps) {
    const SigmaPath path = euler_path(config, steps);
    Schedule schedule;
    for (std::size_t i = 0; i < path.timesteps.size(); ++i) {
        const double sigma = path.sigmas[i];
        schedule.steps.push_back({.timestep = path.timesteps[i],
                                  .from = {1.0, sigma},
                                  .to = {1.0, path.sigmas[i + 1]},
                                  .input_scale = 1 / std::hypot(sigma, 1.0)});
    }
    const double largest = *std::max_element(path.sigmas.begin(), path.sigmas.end());
    schedule.initial_scale = config.spacing == TimestepSpacing::leading ? std::hypot(largest, 1.0) : largest;
    return schedule;
}

Schedule make_dpm_schedule(const SchedulerConfig& config, std::int64_t steps) {
    const SigmaPath path = dpm_path(config, steps);
    const auto level = [](double sigma) {
        const double signal = 1 / std::hypot(sigma, 1.0);
        return NoiseLevel{signal, sigma * signal};
    };
    Schedule schedule;
    for (std::size_t i = 0; i < path.timesteps.size(); ++i) {
        schedule.steps.push_back(
            {.timestep = path.timesteps[i], .from = level(path.sigmas[i]), .to = level(path.sigmas[i + 1])});
    }
    const SchedulerConfig::Multistep& multistep = config.multistep;
    if (multistep.order == 1) return schedule;

    constexpr std::size_t kFewSteps = 15;
    const bool lower_at_end = multistep.euler_at_final || !config.ends_at_sigma_min ||
                              (multistep.lower_order_final && schedule.steps.size() < kFewSteps);
    schedule.solver = SolverKind::dpmpp_2m;
    schedule.heun = multistep.heun;
    schedule.first_order_steps.assign(schedule.steps.size(), false);
    schedule.first_order_steps.front() = true;
    if (lower_at_end) schedule.first_order_steps.back() = true;
    return schedule;
}

}  // namespace gass
