#include "sheet/characters.h"

#include "core/quote.h"
#include "text/unicode.h"

#include <utf8proc.h>

#include <cstddef>
#include <cstdint>

namespace gass {
namespace {

// More than any sheet has room for in three lines, so that a prompt of megabytes costs no more than this.
constexpr std::size_t kMaxCharacters = 8192;
constexpr std::int32_t kReplacement = 0xFFFD;

bool is_control(std::int32_t code_point) {
    return utf8proc_category(code_point) == UTF8PROC_CATEGORY_CC;
}

/// Joiners, variation selectors, marks of direction.
bool is_invisible(std::int32_t code_point) {
    return utf8proc_get_property(code_point)->ignorable ||
           utf8proc_category(code_point) == UTF8PROC_CATEGORY_CF;
}

/// The beginning of the text as valid UTF-8 without what is not drawn; ends in "…" if that is not all.
std::string drawn_beginning(std::string_view text) {
    std::string out;
    bool space_before = false;
    for (std::size_t count = 0; !text.empty();) {
        const std::size_t length = utf8_sequence_length(text);
        const std::int32_t code_point = length > 0 ? first_code_point(text).value : kReplacement;
        text.remove_prefix(length > 0 ? length : 1);
        if (is_space(code_point) || is_control(code_point)) {
            space_before = !out.empty();
            continue;
        }
        if (is_invisible(code_point)) continue;
        if (++count == kMaxCharacters) {
            append_utf8(out, static_cast<std::int32_t>(kEllipsis));
            break;
        }
        if (space_before) out += ' ';
        space_before = false;
        append_utf8(out, code_point);
    }
    return out;
}

}  // namespace

std::u32string drawn_characters(std::string_view text) {
    const std::string composed = to_nfc(drawn_beginning(text));
    std::u32string characters;
    for (std::string_view rest = composed; !rest.empty();) {
        const CodePoint first = first_code_point(rest);
        characters += static_cast<char32_t>(first.value);
        rest.remove_prefix(first.size);
    }
    return characters;
}

std::string to_utf8(std::u32string_view characters) {
    std::string text;
    for (const char32_t character : characters) append_utf8(text, static_cast<std::int32_t>(character));
    return text;
}

}  // namespace gass
