#include "core/quote.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace gass {
namespace {

constexpr std::string_view kReplacement = "\uFFFD";

bool continues(unsigned char byte) {
    return (byte & 0xC0U) == 0x80U;
}

/// Appends the character at the start of `text`, escaped if it could disturb a terminal, and returns its
/// length.
std::size_t append_escaped(std::string& out, std::string_view text, bool keep_layout) {
    const auto byte = static_cast<unsigned char>(text.front());
    const std::size_t length = utf8_sequence_length(text);
    const bool layout = keep_layout && (byte == '\n' || byte == '\t');
    // U+0080 to U+009F, encoded as C2 80 to C2 9F, are control characters too.
    const bool control = byte < 0x20 || byte == 0x7F ||
                         (length == 2 && byte == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0);
    if (length > 0 && (layout || !control)) {
        out.append(text.substr(0, length));
        return length;
    }
    const std::size_t count = length > 0 ? length : 1;
    for (std::size_t i = 0; i < count; ++i) {
        fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(text[i]));
    }
    return count;
}

/// Characters that may not stand in XML 1.0, not even as references.
bool is_forbidden(std::string_view character) {
    const auto first = static_cast<unsigned char>(character.front());
    if (first < 0x20 || first == 0x7F) return true;
    return character == "\xEF\xBF\xBE" || character == "\xEF\xBF\xBF";  // U+FFFE, U+FFFF
}

}  // namespace

std::size_t utf8_sequence_length(std::string_view text) noexcept {
    if (text.empty()) return 0;
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = at(0);
    if (first < 0x80) return 1;
    std::size_t length = 0;
    unsigned char second_min = 0x80;
    unsigned char second_max = 0xBF;
    if (first >= 0xC2 && first <= 0xDF) {
        length = 2;
    } else if (first >= 0xE0 && first <= 0xEF) {
        length = 3;
        if (first == 0xE0) second_min = 0xA0;  // overlong
        if (first == 0xED) second_max = 0x9F;  // surrogates
    } else if (first >= 0xF0 && first <= 0xF4) {
        length = 4;
        if (first == 0xF0) second_min = 0x90;  // overlong
        if (first == 0xF4) second_max = 0x8F;  // above U+10FFFF
    } else {
        return 0;
    }
    if (text.size() < length || at(1) < second_min || at(1) > second_max) return 0;
    for (std::size_t i = 2; i < length; ++i) {
        if (!continues(at(i))) return 0;
    }
    return length;
}

bool is_utf8(std::string_view text) noexcept {
    while (!text.empty()) {
        const std::size_t length = utf8_sequence_length(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

std::string in_quotes(std::string_view text, std::size_t max_bytes) {
    std::string out = "\"";
    while (!text.empty() && out.size() <= max_bytes) {
        text.remove_prefix(append_escaped(out, text, false));
    }
    if (!text.empty()) out += "…";
    out += '"';
    return out;
}

std::string printable(std::string_view text) {
    std::string out;
    while (!text.empty()) text.remove_prefix(append_escaped(out, text, true));
    return out;
}

std::string one_line(std::string_view text) {
    std::string out = printable(text);
    std::ranges::replace_if(
        out, [](char c) { return c == '\n' || c == '\t'; }, ' ');
    return out;
}

std::string csv_field(std::string_view text) {
    const bool quoted = text.find_first_of(",\"\r\n") != std::string_view::npos;
    std::string out = quoted ? "\"" : "";
    while (!text.empty()) {
        const std::size_t length = utf8_sequence_length(text);
        const std::string_view character = text.substr(0, length == 0 ? 1 : length);
        text.remove_prefix(character.size());
        if (length == 0 || character.front() == '\0') {
            out += kReplacement;
        } else {
            if (character == "\"") out += '"';
            out += character;
        }
    }
    if (quoted) out += '"';
    return out;
}

std::string xml_escaped(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t length = utf8_sequence_length(text);
        const std::string_view character = text.substr(0, length == 0 ? 1 : length);
        text.remove_prefix(character.size());
        if (character == "\t" || character == "\n" || character == "\r") {
            out += ' ';
        } else if (length == 0 || is_forbidden(character)) {
            out += kReplacement;
        } else if (character == "<") {
            out += "&lt;";
        } else if (character == ">") {
            out += "&gt;";
        } else if (character == "&") {
            out += "&amp;";
        } else if (character == "\"") {
            out += "&quot;";
        } else if (character == "'") {
            out += "&#39;";
        } else {
            out += character;
        }
    }
    return out;
}

}  // namespace gass
