#pragma once

#include "compare/comparison.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace gass::compare {

/// "mini-flow · guide mini-clip · 28 steps · guidance 4 · 128 × 128"
std::string origin_line(const Comparison& comparison);

/// The beginning of a text, at most so many characters, the last then "…".
std::string beginning(std::string_view text, std::size_t characters);

/// "gass: strength=0.3, dep=1": lines may break where the parameters part.
std::string spaced_method(std::string_view method);

/// What stands for a method in plots: A to Z, then numbers.
std::string letter_of(std::size_t method);

}  // namespace gass::compare
