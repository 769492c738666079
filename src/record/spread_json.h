#pragma once

#include "core/json.h"

#include <gass/record.h>

#include <string>

namespace gass {

/// As it stands under "spread" in group.json.
Json to_json(const Spread& spread);

/// Complains about what is no spread. Numbers that are missing are none.
Spread read_spread(const Json& json, const std::string& where);

}  // namespace gass
