#include "diffusion/sigma_form.h"

#include "diffusion/timestep_spacing.h"

#include <cassert>
#include <cmath>

namespace gass {

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
