#pragma once

#include "engine/engine.h"

#include <gass/record.h>

namespace gass {

Record record_of(const Engine& engine, const Request& completed, const Group& group);

}  // namespace gass
