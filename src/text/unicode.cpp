#include "text/unicode.h"

#include "core/fail.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace gass {
namespace {

/// The normaliser in transformers' tokenizers knows Unicode 9: to it these later marks are ordinary
/// characters that neither move nor compose. Found by comparing every code point, alone and next to marks.
constexpr auto kNotMarks = std::to_array<CodePointRange>({
    {0x07FD, 0x07FD},   {0x0898, 0x089F},   {0x08CA, 0x08D3},   {0x09FE, 0x09FE},   {0x0C3C, 0x0C3C},
    {0x0D3B, 0x0D3C},   {0x0EBA, 0x0EBA},   {0x1715, 0x1715},   {0x1ABF, 0x1ACE},   {0x1DF6, 0x1DFA},
    {0xA82C, 0xA82C},   {0x10D24, 0x10D27}, {0x10EAB, 0x10EAC}, {0x10EFD, 0x10EFF}, {0x10F46, 0x10F50},
    {0x10F82, 0x10F85}, {0x11070, 0x11070}, {0x1133B, 0x1133B}, {0x1145E, 0x1145E}, {0x11839, 0x1183A},
    {0x11930, 0x11930}, {0x1193D, 0x1193E}, {0x11943, 0x11943}, {0x119E0, 0x119E0}, {0x11A34, 0x11A34},
    {0x11A47, 0x11A47}, {0x11A99, 0x11A99}, {0x11D42, 0x11D42}, {0x11D44, 0x11D45}, {0x11D97, 0x11D97},
    {0x11F41, 0x11F42}, {0x16FF0, 0x16FF1}, {0x1E08F, 0x1E08F}, {0x1E130, 0x1E136}, {0x1E2AE, 0x1E2AE},
    {0x1E2EC, 0x1E2EF}, {0x1E4EC, 0x1E4EF},
});

/// Marks of Unicode 16 and 17, which transformers joins to the character before and utf8proc does not know
/// yet.
constexpr auto kNewMarks = std::to_array<CodePointRange>({{0x0897, 0x0897}, {0x1ACF, 0x1ADD}, {0x1AE0, 0x1AEB}});

/// Word characters of the Unicode versions that utf8proc does not know yet.
constexpr auto kNewWordCharacters = std::to_array<CodePointRange>({
    {0x0897, 0x0897},   {0x1C89, 0x1C8A},   {0xA7CB, 0xA7CD},   {0xA7DA, 0xA7DC},   {0x105C0, 0x105F3},
    {0x10D40, 0x10D65}, {0x10D69, 0x10D6D}, {0x10D6F, 0x10D85}, {0x10EC2, 0x10EC4}, {0x10EFC, 0x10EFC},
    {0x11380, 0x11389}, {0x1138B, 0x1138B}, {0x1138E, 0x1138E}, {0x11390, 0x113B5}, {0x113B7, 0x113C0},
    {0x113C2, 0x113C2}, {0x113C5, 0x113C5}, {0x113C7, 0x113CA}, {0x113CC, 0x113D3}, {0x113E1, 0x113E2},
    {0x116D0, 0x116E3}, {0x11BC0, 0x11BE0}, {0x11BF0, 0x11BF9}, {0x11F5A, 0x11F5A}, {0x13460, 0x143FA},
    {0x16100, 0x16139}, {0x16D40, 0x16D6C}, {0x16D70, 0x16D79}, {0x18CFF, 0x18CFF}, {0x1CCF0, 0x1CCF9},
    {0x1E5D0, 0x1E5FA}, {0x2EBF0, 0x2EE5D},
});

/// Lower case of the pairs that Unicode 16 and 17 added.
std::optional<std::int32_t> newer_lower_case(std::int32_t code_point) {
    if (code_point >= 0x10D50 && code_point <= 0x10D65) return code_point + 0x20;
    if (code_point >= 0x16EA0 && code_point <= 0x16EB8) return code_point + 0x1B;
    switch (code_point) {
        case 0xA7CB:
            return 0x0264;
        case 0xA7DC:
            return 0x019B;
        case 0x1C89:
        case 0xA7CC:
        case 0xA7CE:
        case 0xA7D2:
        case 0xA7D4:
        case 0xA7DA:
            return code_point + 1;
        default:
            return std::nullopt;
    }
}

void append_decomposed(std::vector<utf8proc_int32_t>& to, utf8proc_int32_t code_point) {
    // The longest canonical decomposition has four code points.
    std::array<utf8proc_int32_t, 8> parts{};
    int last_boundary_class = 0;
    const auto count = utf8proc_decompose_char(
        code_point, parts.data(), static_cast<utf8proc_ssize_t>(parts.size()),
        static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE), &last_boundary_class);
    if (count < 0 || static_cast<std::size_t>(count) > parts.size()) {
        fail(ErrorCode::failure, "tokenizer", "cannot decompose U+{:04X}", code_point);
    }
    to.insert(to.end(), parts.begin(), parts.begin() + count);
}

/// Sorts each run of marks by class. utf8proc's own way takes quadratic time, which a long run would make us
/// wait for.
void order_marks(std::vector<utf8proc_int32_t>& text) {
    const auto mark_class = [](utf8proc_int32_t c) { return utf8proc_get_property(c)->combining_class; };
    auto begin = text.begin();
    while (begin != text.end()) {
        begin = std::find_if(begin, text.end(), [&](auto c) { return mark_class(c) != 0; });
        const auto end = std::find_if(begin, text.end(), [&](auto c) { return mark_class(c) == 0; });
        std::stable_sort(begin, end, [&](auto a, auto b) { return mark_class(a) < mark_class(b); });
        begin = end;
    }
}

void append_composed(std::string& to, std::vector<utf8proc_int32_t>& text) {
    if (text.empty()) return;
    order_marks(text);
    const auto length =
        utf8proc_normalize_utf32(text.data(), static_cast<utf8proc_ssize_t>(text.size()),
                                 static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
    if (length < 0) fail(ErrorCode::failure, "tokenizer", "cannot normalise the text");
    for (utf8proc_ssize_t i = 0; i < length; ++i) append_utf8(to, text[static_cast<std::size_t>(i)]);
    text.clear();
}

bool is_ascii(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

bool contains(std::span<const CodePointRange> ranges, std::int32_t code_point) noexcept {
    const auto it = std::ranges::lower_bound(ranges, code_point, {}, &CodePointRange::last);
    return it != ranges.end() && it->first <= code_point;
}

CodePoint first_code_point(std::string_view utf8) {
    utf8proc_int32_t value = 0;
    const auto size = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(utf8.data()),
                                       static_cast<utf8proc_ssize_t>(utf8.size()), &value);
    if (size <= 0) fail(ErrorCode::failure, "tokenizer", "expected UTF-8");
    return {value, static_cast<std::size_t>(size)};
}

CodePoint last_code_point(std::string_view utf8) {
    std::size_t start = utf8.size() - 1;
    while (start > 0 && (static_cast<unsigned char>(utf8[start]) & 0xC0U) == 0x80U) --start;
    return first_code_point(utf8.substr(start));
}

void append_utf8(std::string& text, std::int32_t code_point) {
    std::array<utf8proc_uint8_t, 4> bytes{};
    const auto size = utf8proc_encode_char(code_point, bytes.data());
    text.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(size));
}

bool is_space(std::int32_t c) noexcept {
    return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
           c == 0x3000;
}

bool is_word(std::int32_t c) noexcept {
    const utf8proc_category_t category = utf8proc_category(c);
    if (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NL) return true;
    // Circled and squared letters are symbols that count as alphabetic.
    const bool letter_symbol = (c >= 0x24B6 && c <= 0x24E9) || (c >= 0x1F130 && c <= 0x1F149) ||
                               (c >= 0x1F150 && c <= 0x1F169) || (c >= 0x1F170 && c <= 0x1F189);
    return category == UTF8PROC_CATEGORY_PC || c == 0x200C || c == 0x200D || letter_symbol ||
           contains(kNewWordCharacters, c);
}

std::string to_nfc(std::string_view utf8) {
    if (is_ascii(utf8)) return std::string(utf8);
    std::string result;
    result.reserve(utf8.size());
    std::vector<utf8proc_int32_t> pending;
    while (!utf8.empty()) {
        const CodePoint c = first_code_point(utf8);
        utf8.remove_prefix(c.size);
        if (contains(kNotMarks, c.value)) {
            append_composed(result, pending);
            append_utf8(result, c.value);
        } else {
            append_decomposed(pending, c.value);
        }
    }
    append_composed(result, pending);
    return result;
}

std::string to_nfd(std::string_view utf8) {
    constexpr std::int32_t kNotDecomposed = 0x11938;  // newer than the tables
    if (is_ascii(utf8)) return std::string(utf8);
    std::string result;
    result.reserve(utf8.size());
    std::vector<utf8proc_int32_t> pending;
    const auto flush = [&] {
        order_marks(pending);
        for (const utf8proc_int32_t c : pending) append_utf8(result, c);
        pending.clear();
    };
    while (!utf8.empty()) {
        const CodePoint c = first_code_point(utf8);
        utf8.remove_prefix(c.size);
        if (c.value == kNotDecomposed || contains(kNotMarks, c.value)) {
            flush();
            append_utf8(result, c.value);
        } else {
            append_decomposed(pending, c.value);
        }
    }
    flush();
    return result;
}

std::string to_lower(std::string_view utf8) {
    std::string result;
    result.reserve(utf8.size());
    while (!utf8.empty()) {
        const CodePoint c = first_code_point(utf8);
        utf8.remove_prefix(c.size);
        if (c.value == 0x130) {  // I with a dot: the one letter whose lower case has two code points
            result += "i\u0307";
        } else {
            append_utf8(result, newer_lower_case(c.value).value_or(utf8proc_tolower(c.value)));
        }
    }
    return result;
}

bool grapheme_ends_between(std::int32_t left, std::int32_t right, std::int32_t& state) noexcept {
    constexpr std::int32_t kAnyMark = 0x0301;
    const auto known = [](std::int32_t c) { return contains(kNewMarks, c) ? kAnyMark : c; };
    return utf8proc_grapheme_break_stateful(known(left), known(right), &state);
}

}  // namespace gass
