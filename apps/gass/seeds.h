#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace gass::cli {

/// The seeds that the user lists: "1,2,3". Throws usage, as --seeds.
std::vector<std::uint64_t> parse_seeds(std::string_view list);

/// Where `count` seeds begin that count up: at the --seed of the settings or, if that is negative, anywhere.
std::uint64_t first_seed(std::int64_t asked, std::size_t count);

}  // namespace gass::cli
