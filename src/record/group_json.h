#pragma once

#include "core/json.h"
#include "record/recorded_group.h"

#include <string_view>

namespace gass {

/// Reads group.json. Parts may be missing; what is there must have the right types and lengths, or
/// model_invalid is thrown with the place in the file. Steps of a kind that is not known are left out.
RecordedGroup read_group(const Json& json, std::string_view where);

}  // namespace gass
