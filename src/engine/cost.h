#pragma once

#include "engine/plan_parts.h"

#include <cstdint>

namespace gass {

/// As many images as fit through the denoiser and the decoder at a time; recorded, since it decides the
/// bytes. Throws out_of_memory if not even one does.
std::int64_t chunk_for(const LoadedModel& model, const PlanParts& plan);

/// How often the denoiser is evaluated, for one image and one text each.
std::int64_t evaluations_of(const LoadedModel& model, const PlanParts& plan);

/// What a plan will take. Throws out_of_memory as making it would.
PlanCost cost_of(const LoadedModel& model, const PlanParts& plan);

}  // namespace gass
