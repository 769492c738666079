#pragma once

#include "engine/engine.h"
#include "progress.h"

namespace gass::cli {

/// Shows a generation's phases in `progress`, which must outlive it, and stops it on Ctrl-C.
Events watched_by(Progress& progress);

}  // namespace gass::cli
