#pragma once

#include "diffusion/scheduler_config.h"

#include <cstdint>
#include <vector>

namespace gass {

/// Karras' (arXiv 2206.00364, equation 5) or exponential levels from `largest` to `smallest`, or between the
/// config's own limits where it has them.
std::vector<double> shaped_sigmas(const SchedulerConfig& config, double largest, double smallest,
                                  std::int64_t count);

}  // namespace gass
