#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gass {

/// Text from a file or a request, safe to show: in double quotes, control and non-UTF-8 bytes as \xNN, cut
/// after `max_bytes`.
std::string in_quotes(std::string_view text, std::size_t max_bytes = 160);

/// The same escapes without quotes and without cutting; new lines and tabs stay. For whole messages.
std::string printable(std::string_view text);

/// The same with new lines and tabs as spaces: for names within a line.
std::string one_line(std::string_view text);

/// Length of the valid UTF-8 sequence at the start of `text`, 0 if there is none.
std::size_t utf8_sequence_length(std::string_view text) noexcept;

/// Whether the whole text is valid UTF-8 (no surrogates, no overlong forms).
bool is_utf8(std::string_view text) noexcept;

/// What ends a line of a CSV file (RFC 4180).
inline constexpr std::string_view kCsvLineEnd = "\r\n";

/// Any bytes as a field of a CSV file, in quotes where it needs them. Readers expect UTF-8 and stop at a NUL:
/// U+FFFD stands for what is neither.
std::string csv_field(std::string_view text);

/// Any bytes as text of an XML document: markup escaped, U+FFFD for what XML cannot hold.
std::string xml_escaped(std::string_view text);

}  // namespace gass
