#pragma once

#include "engine/plan_parts.h"

#include <gass/record.h>

#include <cstdint>

namespace gass {

/// What it takes to make a plan's group again, `chunk` images at a time. Waits for the model's fingerprint.
Record record_of(const LoadedModel& model, const PlanParts& plan, std::int64_t chunk);

}  // namespace gass
