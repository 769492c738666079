#pragma once

#include "core/json.h"
#include "core/settings.h"

#include <string_view>

namespace gass::eval {

/// Both embedded models by their ids "flow" and "unet", and the methods "none", "gass" and "both": two small
/// images of one prompt each, on the CPU.
Json suite_of_models();

/// What the command line hands in, of a user who says nothing himself.
Settings settings_over(const Json& object, std::string_view origin);

}  // namespace gass::eval
