#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gass::page {

/// "0.417", "−0.100", "–" if there is none.
std::string shown(std::optional<double> value, int decimals);

/// Which of these values is the best, ties as they are shown included. There is no best among fewer than two,
/// nor where all are the same.
std::vector<bool> best_of(const std::vector<std::optional<double>>& values, int decimals,
                          bool more_is_better);

/// The beginning of a text, at most so many characters, the last then "…".
std::string beginning(std::string_view text, std::size_t max_characters);

}  // namespace gass::page
