#pragma once

namespace gass::cli {

/// From now on the first Ctrl-C (or SIGTERM, or SIGHUP of a terminal that is closed) only asks to stop; the
/// second one ends the process as usual.
void catch_interrupt();
/// Whether a stop was asked for.
bool is_interrupted();

}  // namespace gass::cli
