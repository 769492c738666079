#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gass::page {

/// The beginning of a text, at most so many characters, the last then "…".
std::string beginning(std::string_view text, std::size_t characters);

/// What stands for a method in tables and plots: A to Z, then numbers.
std::string letter_of(std::size_t method);

}  // namespace gass::page
