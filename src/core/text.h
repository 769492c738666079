#pragma once

#include <gass/error.h>

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gass {

struct TextLine {
    std::size_t number = 1;  ///< in its file
    std::string_view text;   ///< without \r and \n
};

/// The prompts of a text file, one a line. A line of blanks is none, nor is one that begins with #, a
/// comment; a prompt that begins with # is written with \# in front. A byte order mark is passed over.
std::vector<TextLine> prompt_lines(std::string_view text);

/// The parts between separators; one for a text without any.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (true) {
        const auto end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

/// The text with `value` wherever `mark` stood; marks in the value stay.
inline std::string with_replaced(std::string text, std::string_view mark, std::string_view value) {
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size()))
        text.replace(at, mark.size(), value);
    return text;
}

/// The number that the whole text is; nothing if it is anything else.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

inline constexpr std::size_t kMaxPromptBytes = 65536;

/// Throws, with `where` in front, unless the prompt is UTF-8 of a sane length. `code` is what a bad one is: a
/// user's mistake, or a broken file.
void check_prompt(std::string_view prompt, std::string_view where, ErrorCode code = ErrorCode::usage);
/// The same of a setting that holds such a text.
void check_prompt(std::string_view prompt, SettingKey setting, ErrorCode code = ErrorCode::usage);

}  // namespace gass
