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

}  // namespace gass::compare
