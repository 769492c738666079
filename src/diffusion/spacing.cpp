#include "diffusion/spacing.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace gass {

std::vector<double> evenly_spaced(double first, double last, std::int64_t count) {
    if (count == 1) return {first};
    const double distance = (last - first) / static_cast<double>(count - 1);
    std::vector<double> numbers;
    for (std::int64_t i = 0; i < count; ++i) numbers.push_back(static_cast<double>(i) * distance + first);
    numbers.back() = last;
    return numbers;
}

std::vector<double> leading_timesteps(std::int64_t ratio, std::int64_t count) {
    std::vector<double> timesteps;
    for (std::int64_t i = count - 1; i >= 0; --i)
        timesteps.push_back(static_cast<double>(i * ratio + kStepsOffset));
    return timesteps;
}

std::vector<double> trailing_timesteps(std::int64_t last, double ratio) {
    const auto first = static_cast<double>(last);
    const double distance = (first - ratio) - first;
    const auto count = static_cast<std::int64_t>(std::ceil(first / ratio));
    std::vector<double> timesteps;
    for (std::int64_t i = 0; i < count; ++i) {
        const double timestep = std::nearbyint(first + static_cast<double>(i) * distance) - 1;
        if (timestep >= 0) timesteps.push_back(timestep);
    }
    return timesteps;
}

std::vector<double> spaced_timesteps(TimestepSpacing spacing, std::int64_t train_timesteps,
                                     std::int64_t count) {
    switch (spacing) {
        case TimestepSpacing::linspace: {
            std::vector<double> timesteps = evenly_spaced(0, static_cast<double>(train_timesteps - 1), count);
            std::reverse(timesteps.begin(), timesteps.end());
            return timesteps;
        }
        case TimestepSpacing::leading:
            return leading_timesteps(train_timesteps / count, count);
        case TimestepSpacing::trailing:
            return trailing_timesteps(train_timesteps,
                                      static_cast<double>(train_timesteps) / static_cast<double>(count));
    }
    return {};
}

std::vector<double> shaped_sigmas(const SchedulerConfig& config, double largest, double smallest,
                                  std::int64_t count) {
    assert(config.sigmas != SigmaForm::trained);
    const double first = config.sigma_max.value_or(largest);
    const double last = config.sigma_min.value_or(smallest);
    if (config.sigmas == SigmaForm::exponential) {
        std::vector<double> sigmas = evenly_spaced(std::log(first), std::log(last), count);
        for (double& sigma : sigmas) sigma = std::exp(sigma);
        return sigmas;
    }
    constexpr double kRho = 7.0;
    const double first_root = std::pow(first, 1 / kRho);
    const double last_root = std::pow(last, 1 / kRho);
    std::vector<double> sigmas = evenly_spaced(0, 1, count);
    for (double& ramp : sigmas) ramp = std::pow(first_root + ramp * (last_root - first_root), kRho);
    return sigmas;
}

}  // namespace gass
