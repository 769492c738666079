#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gass {

/// The methods that a text combines, "cads:scale=0.2+gass": a plus parts them, unless it is one of a number,
/// 1e+3.
std::vector<std::string_view> split_methods(std::string_view text);

/// The texts of a list, "none,gass:strength=0.3,candidates=4,cads+gass": what stands after a comma belongs to
/// the method before if it sets a parameter. Throws usage, as the setting `methods`.
std::vector<std::string> split_method_list(std::string_view list);

}  // namespace gass
