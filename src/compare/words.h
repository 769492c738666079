#pragma once

#include "compare/comparison.h"

#include <string>
#include <string_view>

namespace gass::compare {

/// "mini-flow · guide mini-clip · 28 steps · guidance 4 · 128 × 128"
std::string origin_line(const Comparison& comparison);

/// "gass: strength=0.3, dep=1": lines may break where the parameters part.
std::string spaced_method(std::string_view method);

}  // namespace gass::compare
