#pragma once

#include "catalog/model.h"

namespace gass {

/// Checks a network of a model against its class: the config is one we can build, and the file holds exactly
/// the tensors that it asks for. Reads heads only and allocates nothing. Throws model_invalid; a class that
/// is not ours is passed over with a warning.
void check_component(const ModelComponent& component);

}  // namespace gass
