#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gass {

/// The list with one method repeated for each value of a parameter: "strength=0.25,0.5" of the one that has
/// it. Throws usage, as --grid, unless exactly one has.
std::vector<std::string> with_grid(const std::vector<std::string>& methods, std::string_view grid);

}  // namespace gass
