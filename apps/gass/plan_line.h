#pragma once

#include "core/json.h"

#include <gass/engine.h>

#include <string>

namespace gass::cli {

/// "8 images of 64x64 by gass, 4 steps: 176 network evaluations, 32 images at a time; …"
std::string plan_line(const Plan& plan, const PlanCost& cost);

/// {"evaluations", "images_per_call", "weight_bytes", "activation_bytes", "seconds"}
Json cost_json(const PlanCost& cost);

}  // namespace gass::cli
