#pragma once

#include "progress.h"

#include <gass/engine.h>

namespace gass::cli {

/// Shows a generation's phases in `progress`, which must outlive it, and stops it on Ctrl-C.
Events events_for(Progress& progress);

}  // namespace gass::cli
