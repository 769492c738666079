#pragma once

#include <gass/record.h>

#include <string>

namespace gass::gallery {

/// The command that makes a recorded set again, for a shell: "gass generate -m mini-flow …". Every parameter
/// of the method stands in it, so that it gives the same images when defaults have changed.
std::string command_line(const Record& record);

}  // namespace gass::gallery
