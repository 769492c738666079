#pragma once

#include "core/json.h"

#include <string_view>

namespace gass::eval {

/// What identifies a group for a store, but for its prompt and seeds: the fields of its record that decide
/// its bytes, by an explicit list. Where a model lies, how many threads compute and which of several GPUs are
/// not among them. `guide`: stands for the encoder that the method sees through, in place of its name.
Json identity_of(const Json& record, std::string_view guide);

}  // namespace gass::eval
