#pragma once

namespace gass::cli {

/// From now on the first Ctrl-C (or SIGTERM) only asks to stop; the second one ends the process as usual.
void catch_interrupt();
/// Whether a stop was asked for.
bool is_interrupted();

}  // namespace gass::cli
