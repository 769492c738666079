#pragma once

#include "nn/config.h"

namespace gass::nn {

/// Passes over the fields that transformers writes into every config.json, among them those of text
/// generation, and refuses the few that would change what an encoder computes.
void ignore_transformers_fields(ConfigReader& reader);

}  // namespace gass::nn
