#pragma once

#include <string>
#include <string_view>

namespace gass {

/// What ends a line of a CSV file (RFC 4180).
inline constexpr std::string_view kCsvLineEnd = "\r\n";

/// Any bytes as a field of a CSV file, in quotes where it needs them. Readers expect UTF-8 and stop at a NUL:
/// U+FFFD stands for what is neither.
std::string csv_field(std::string_view text);

}  // namespace gass
