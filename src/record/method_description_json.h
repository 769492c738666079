#pragma once

#include "core/json.h"

#include <gass/methods.h>

namespace gass {

/// {"name", "type", "default", "minimum" and "maximum" or "choices", "help"}
Json to_json(const ParameterDescription& parameter);
/// {"name", "help", "says", "paper", "parameters"}
Json to_json(const MethodDescription& method);

}  // namespace gass
