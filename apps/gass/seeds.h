#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace gass::cli {

/// The numbers that the user lists, seeds for one: "1,2,3" or "1-3,9". Throws usage, as the flag.
std::vector<std::uint64_t> parse_seeds(std::string_view list, std::string_view flag = "--seeds");

}  // namespace gass::cli
