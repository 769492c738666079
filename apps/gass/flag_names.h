#pragma once

#include <string>
#include <string_view>

namespace gass::cli {

/// A message in which settings stand by their keys in backquotes, with their flags instead. What a message
/// quotes stays as it is.
std::string with_flags(std::string_view message);

}  // namespace gass::cli
