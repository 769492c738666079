#pragma once

#include <string>
#include <string_view>

namespace gass {

inline constexpr char32_t kEllipsis = U'…';

/// The characters of a text as they are drawn: composed (NFC), every run of white space and control
/// characters one space and none at the ends, nothing invisible, U+FFFD for what is no UTF-8. No more than
/// some thousand, the last then "…".
std::u32string drawn_characters(std::string_view text);

std::string to_utf8(std::u32string_view characters);

}  // namespace gass
