#pragma once

#include <gass/group.h>

#include <cstddef>
#include <string>
#include <vector>

namespace gass {

/// Text that would be a page's own where it is not escaped.
extern const std::string kMarkup;

/// A set along a named axis, with numbers.
Group sample_group(std::size_t images = 8);
/// One whose texts and numbers are as bad as a set's can be.
Group hostile_group();
/// "0000.png" …
std::vector<std::string> file_names(std::size_t count);

}  // namespace gass
