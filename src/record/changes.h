#pragma once

#include <gass/record.h>

#include <string>
#include <vector>

namespace gass {

/// What is not the same as it was, in words; it may explain why a set's bytes are not.
std::vector<std::string> changes(const Record& before, const Record& now);

}  // namespace gass
