#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gass {

void append_code_point(std::string& utf8, char32_t point);

std::string latin1_to_utf8(std::string_view latin1);

/// Nothing if a character is not in Latin-1, or if the text is not UTF-8.
std::optional<std::string> utf8_to_latin1(std::string_view utf8);

/// The text must be UTF-8.
std::vector<std::byte> utf8_to_utf16_big_endian(std::string_view utf8);

/// Lone surrogates become U+FFFD; an odd last byte is ignored.
std::string utf16_to_utf8(std::span<const std::byte> utf16, bool big_endian);

/// The text itself if it is UTF-8, otherwise read as Latin-1.
std::string utf8_or_latin1(std::string_view text);

}  // namespace gass
