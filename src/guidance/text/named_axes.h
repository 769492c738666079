#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gass {

/// The two ends of an axis that a user names.
struct AxisTexts {
    std::string from;
    std::string to;
};

/// Reads "at night|at noon; red|blue". Throws usage, as the setting `vary`, for what is none.
std::vector<AxisTexts> parse_axes(std::string_view text);

}  // namespace gass
