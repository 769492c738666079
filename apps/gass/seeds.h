#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace gass::cli {

/// The seeds that the user lists: "1,2,3" or "1-3,9". Throws usage, as --seeds.
std::vector<std::uint64_t> parse_seeds(std::string_view list);

}  // namespace gass::cli
