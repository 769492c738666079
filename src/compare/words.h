#pragma once

#include "compare/comparison.h"

#include <array>
#include <string>
#include <string_view>

namespace gass::compare {

/// What is shown of the settings that all methods have in common, in this order.
inline constexpr std::array<std::string_view, 9> kCommonSettings{
    "steps",           "cfg_scale",       "width", "height", "images",
    "sampling_method", "negative_prompt", "dtype", "device"};

/// "mini-flow · guide mini-clip · 28 steps · guidance 4 · 128 × 128"
std::string origin_line(const Comparison& comparison);

/// "gass: strength=0.3, dep=1": lines may break where the parameters part.
std::string spaced_method(std::string_view method);

}  // namespace gass::compare
