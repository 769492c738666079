#pragma once

#include "core/json.h"

#include <gass/record.h>

#include <optional>
#include <string>
#include <vector>

namespace gass {

/// As it stands in the list "method_steps" of group.json.
Json to_json(const MethodStep& step);
Json to_json(const std::vector<MethodStep>& steps);

/// Parts may be missing; what is there must have the right types and lengths, or model_invalid is thrown with
/// the place in the file. None for a step of a kind that is not known.
std::optional<MethodStep> read_method_step(const Json& json, const std::string& where);
/// Those of a list that are known.
std::vector<MethodStep> read_method_steps(const Json& json, const std::string& where);

}  // namespace gass
