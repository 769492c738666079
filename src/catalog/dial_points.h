#pragma once

#include "core/json.h"

#include <string_view>
#include <utility>
#include <vector>

namespace gass {

/// Efforts beyond are no longer images of the prompt.
inline constexpr double kMaxEffort = 1.0;

/// What a model's calibration found: (strength, effort) from (0, 0) to strength 1, both rising.
using DialPoints = std::vector<std::pair<double, double>>;

/// Reads {"points": [[strength, effort], …], …}; what else stands there tells where they come from. Throws
/// model_invalid for what is no such thing.
DialPoints read_dial_points(const Json& json, std::string_view where);

}  // namespace gass
