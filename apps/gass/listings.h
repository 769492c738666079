#pragma once

namespace gass::cli {

/// Prints the suites that come with gass, a line for each; the result is the exit status.
int show_suites(bool as_json);

}  // namespace gass::cli
