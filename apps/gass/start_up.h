#pragma once

namespace gass::cli {

/// What holds for the whole process, before anything is opened: standard streams that were closed lead
/// nowhere, a file that may not grow is an error of a call instead of a signal, and a mapped file that
/// becomes shorter ends the process with a message.
void start_up();

}  // namespace gass::cli
