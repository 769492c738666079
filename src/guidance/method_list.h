#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gass {

/// The texts of a list, "none,gass:strength=0.3,candidates=4,cads+gass": what stands after a comma belongs to
/// the method before if it sets a parameter. Throws usage, as --methods.
std::vector<std::string> split_method_list(std::string_view list);

/// The list with one method repeated for each value of a parameter: "strength=0.25,0.5" of the one that has
/// it. Throws usage, as --grid, unless exactly one has.
std::vector<std::string> with_grid(const std::vector<std::string>& methods, std::string_view grid);

}  // namespace gass
