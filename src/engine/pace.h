#pragma once

#include "engine/plan_parts.h"

#include <cstdint>
#include <optional>

namespace gass {

/// How long a plan's group takes about, as the last set like it took on this machine; nothing until one was
/// made. `evaluations`: of its denoiser.
std::optional<double> expected_seconds(const LoadedModel& model, const PlanParts& plan,
                                       std::int64_t evaluations);

/// Notes what a set took, beside the feature cache. Where nothing can be written, nothing is noted.
void note_seconds(const LoadedModel& model, const PlanParts& plan, std::int64_t evaluations, double seconds);

}  // namespace gass
