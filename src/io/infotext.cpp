#include "io/infotext.h"

#include "core/fail.h"
#include "core/json.h"
#include "core/quote.h"

#include <utf8proc.h>

#include <algorithm>

namespace gass {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kNegative = "Negative prompt:"sv;
// Fewer are taken for a line of the prompt.
constexpr std::size_t kMinFields = 3;

struct Character {
    char32_t point;  ///< U+FFFD for a byte that is not UTF-8
    std::size_t length;
};

/// `text` must not be empty.
Character first_character(std::string_view text) {
    utf8proc_int32_t point = 0;
    const auto length =
        utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                         static_cast<utf8proc_ssize_t>(std::min<std::size_t>(text.size(), 4)), &point);
    if (length <= 0) return {0xFFFD, 1};
    return {static_cast<char32_t>(point), static_cast<std::size_t>(length)};
}

/// Python's `\s`.
bool is_space(char32_t point) {
    if (point < 0x80)
        return point == ' ' || (point >= 0x09 && point <= 0x0D) || (point >= 0x1C && point <= 0x1F);
    const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(point));
    return point == 0x85 || category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL ||
           category == UTF8PROC_CATEGORY_ZP;
}

/// Python's `\w`, but for a few numerals.
bool is_word(char32_t point) {
    switch (utf8proc_category(static_cast<utf8proc_int32_t>(point))) {
        case UTF8PROC_CATEGORY_LU:
        case UTF8PROC_CATEGORY_LL:
        case UTF8PROC_CATEGORY_LT:
        case UTF8PROC_CATEGORY_LM:
        case UTF8PROC_CATEGORY_LO:
        case UTF8PROC_CATEGORY_ND:
        case UTF8PROC_CATEGORY_NL:
        case UTF8PROC_CATEGORY_NO:
            return true;
        default:
            return point == '_';
    }
}

bool is_key_part(char32_t point) {
    return is_word(point) || point == ' ' || point == '-' || point == '/';
}

std::string_view trim_left(std::string_view text) {
    while (!text.empty()) {
        const Character character = first_character(text);
        if (!is_space(character.point)) break;
        text.remove_prefix(character.length);
    }
    return text;
}

std::string_view trim_right(std::string_view text) {
    while (!text.empty()) {
        std::size_t start = text.size() - 1;
        while (start > 0 && text.size() - start < 4 &&
               (static_cast<unsigned char>(text[start]) & 0xC0U) == 0x80U)
            --start;
        const Character last = first_character(text.substr(start));
        if (start + last.length != text.size() || !is_space(last.point)) break;
        text = text.substr(0, start);
    }
    return text;
}

/// Length of the JSON string at the start of `text`, which must end where a field may end; 0 if there is
/// none.
std::size_t quoted_length(std::string_view text) {
    if (!text.starts_with('"')) return 0;
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (text[i] == '\\') {
            ++i;
        } else if (text[i] == '"') {
            const bool ends_field = i + 1 == text.size() || text[i + 1] == ',';
            return i > 1 && ends_field ? i + 1 : 0;
        }
    }
    return 0;
}

std::string unquoted(std::string_view value) {
    if (value.size() >= 2 && value.starts_with('"') && value.ends_with('"')) {
        const Json json = Json::parse(value, nullptr, false);
        if (json.is_string()) return json.get<std::string>();
    }
    return std::string(value);
}

/// Takes the next `key: value` off the line, with the rules of A1111's pattern
/// `\s*(\w[\w \-/]+):\s*("(?:\\.|[^\\"])+"|[^,]*)(?:,|$)`; false if there is none.
bool take_field(std::string_view& line, std::pair<std::string, std::string>& field) {
    constexpr std::size_t kNone = std::string_view::npos;
    std::size_t key_start = kNone;
    std::size_t key_characters = 0;
    for (std::size_t at = 0; at < line.size();) {
        const Character character = first_character(line.substr(at));
        if (character.point == ':' && key_characters >= 2) {
            field.first = line.substr(key_start, at - key_start);
            const std::string_view rest = trim_left(line.substr(at + 1));
            const std::size_t quoted = quoted_length(rest);
            const std::size_t length = quoted > 0 ? quoted : std::min(rest.find(','), rest.size());
            field.second = unquoted(rest.substr(0, length));
            line = rest.substr(std::min(length + 1, rest.size()));
            return true;
        }
        if (!is_key_part(character.point)) {
            key_start = kNone;
            key_characters = 0;
        } else if (key_start != kNone || is_word(character.point)) {
            key_start = std::min(key_start, at);
            ++key_characters;
        }
        at += character.length;
    }
    return false;
}

std::vector<std::pair<std::string, std::string>> parse_fields(std::string_view line) {
    std::vector<std::pair<std::string, std::string>> fields;
    std::pair<std::string, std::string> field;
    while (take_field(line, field)) fields.push_back(field);
    return fields;
}

bool is_key(std::string_view key) {
    if (!is_utf8(key) || key.empty() || !is_word(first_character(key).point)) return false;
    std::size_t characters = 0;
    for (; !key.empty(); ++characters) {
        const Character character = first_character(key);
        if (!is_key_part(character.point)) return false;
        key.remove_prefix(character.length);
    }
    return characters >= 2;
}

std::string quoted_if_needed(std::string_view value) {
    const auto is_markup = [](char c) {
        return c == ',' || c == ':' || c == 0x7F || static_cast<unsigned char>(c) < 0x20;
    };
    if (!value.empty() && is_utf8(value) && !value.starts_with('"') &&
        trim_left(value).size() == value.size() && trim_right(value).size() == value.size() &&
        std::none_of(value.begin(), value.end(), is_markup)) {
        return std::string(value);
    }
    return Json(value).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Splits the part above the fields.
void parse_prompts(std::string_view body, Infotext& info) {
    for (std::size_t start = 0; start <= body.size();) {
        const std::size_t end = std::min(body.find('\n', start), body.size());
        const std::string_view line = trim_left(body.substr(start, end - start));
        if (line.starts_with(kNegative)) {
            std::string_view negative = body.substr(end - line.size() + kNegative.size());
            if (negative.starts_with(' ')) negative.remove_prefix(1);
            info.negative_prompt = negative;
            info.prompt = body.substr(0, start == 0 ? 0 : start - 1);
            return;
        }
        start = end + 1;
    }
    info.prompt = body;
}

}  // namespace

std::string format_infotext(const Infotext& info) {
    if (!info.fields.empty() && info.fields.size() < kMinFields) {
        fail(ErrorCode::usage, "infotext", "needs {} fields or none, not {}", kMinFields, info.fields.size());
    }
    std::string text = info.prompt;
    if (!info.negative_prompt.empty()) {
        if (!text.empty()) text += '\n';
        text.append(kNegative).append(" ").append(info.negative_prompt);
    }
    if (info.fields.empty()) return text;
    if (!text.empty()) text += '\n';
    std::string_view separator;
    for (const auto& [key, value] : info.fields) {
        if (!is_key(key))
            fail(ErrorCode::usage, "infotext", "{} cannot be the name of a field", in_quotes(key));
        text.append(separator).append(key).append(": ").append(quoted_if_needed(value));
        separator = ", ";
    }
    return text;
}

Infotext parse_infotext(std::string_view text) {
    Infotext info;
    const std::string_view trimmed = trim_right(text);
    const std::size_t line_break = trimmed.rfind('\n');
    const std::size_t last_line = line_break == std::string_view::npos ? 0 : line_break + 1;
    info.fields = parse_fields(trimmed.substr(last_line));
    if (info.fields.size() >= kMinFields) {
        text = trimmed.substr(0, last_line == 0 ? 0 : line_break);
    } else {
        info.fields.clear();
    }
    parse_prompts(text, info);
    return info;
}

}  // namespace gass
