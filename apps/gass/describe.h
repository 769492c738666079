#pragma once

#include "core/json.h"
#include "io/model_lookup.h"

namespace gass::cli {

/// A model's name and place, as every --json output shows it.
Json describe_location(const ModelLocation& location);

}  // namespace gass::cli
