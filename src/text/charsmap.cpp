#include "text/charsmap.h"

#include "core/fail.h"
#include "core/quote.h"
#include "text/unicode.h"

namespace gass {
namespace {

std::uint32_t little_endian(std::string_view four_bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = 4; i-- > 0;) value = (value << 8U) | static_cast<unsigned char>(four_bytes[i]);
    return value;
}

// The bit fields of one unit of a Darts-clone double array.
std::size_t unit_offset(std::uint32_t unit) {
    return (unit >> 10U) << ((unit & (1U << 9U)) >> 6U);
}
std::uint32_t unit_label(std::uint32_t unit) {
    return unit & ((1U << 31U) | 0xFFU);
}
bool unit_has_leaf(std::uint32_t unit) {
    return ((unit >> 8U) & 1U) != 0;
}
std::size_t unit_value(std::uint32_t unit) {
    return unit & ((1U << 31U) - 1U);
}

}  // namespace

Charsmap::Charsmap(std::string_view bytes, std::string_view where) : where_(where) {
    if (bytes.empty()) return;
    const std::uint32_t trie_size = bytes.size() < 4 ? 0 : little_endian(bytes);
    if (trie_size == 0 || trie_size % 4 != 0 || trie_size > bytes.size() - 4) fail_damaged();
    for (std::size_t at = 4; at < 4 + std::size_t{trie_size}; at += 4)
        trie_.push_back(little_endian(bytes.substr(at, 4)));
    replacements_ = bytes.substr(4 + std::size_t{trie_size});
    if (!is_utf8(replacements_)) fail_damaged();
}

void Charsmap::fail_damaged() const {
    fail(ErrorCode::model_invalid, where_, "the normalisation rules (precompiled_charsmap) are damaged");
}

std::uint32_t Charsmap::unit(std::size_t at) const {
    if (at >= trie_.size()) fail_damaged();
    return trie_[at];
}

std::optional<std::string_view> Charsmap::replacement(std::string_view part) const {
    std::size_t node = unit_offset(unit(0));
    for (const char c : part) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte == 0) return std::nullopt;
        node ^= byte;
        const std::uint32_t here = unit(node);
        if (unit_label(here) != byte) return std::nullopt;
        node ^= unit_offset(here);
        if (!unit_has_leaf(here)) continue;
        const std::size_t start = unit_value(unit(node));
        if (start > replacements_.size()) fail_damaged();
        const std::string_view rest = std::string_view(replacements_).substr(start);
        const std::string_view text = rest.substr(0, rest.find('\0'));
        if (!is_utf8(text)) fail_damaged();
        return text;
    }
    return std::nullopt;
}

void Charsmap::append(std::string_view grapheme, std::string& to) const {
    constexpr std::size_t kLongestInOnePiece = 5;
    if (grapheme.size() <= kLongestInOnePiece) {
        if (const auto text = replacement(grapheme)) {
            to.append(*text);
            return;
        }
    }
    while (!grapheme.empty()) {
        const std::string_view part = grapheme.substr(0, first_code_point(grapheme).size);
        to.append(replacement(part).value_or(part));
        grapheme.remove_prefix(part.size());
    }
}

std::string Charsmap::normalize(std::string_view utf8) const {
    if (trie_.empty()) return std::string(utf8);
    std::string result;
    result.reserve(utf8.size());
    std::int32_t state = 0;
    while (!utf8.empty()) {
        CodePoint last = first_code_point(utf8);
        std::size_t size = last.size;
        while (size < utf8.size()) {
            const CodePoint next = first_code_point(utf8.substr(size));
            if (grapheme_ends_between(last.value, next.value, state)) break;
            size += next.size;
            last = next;
        }
        append(utf8.substr(0, size), result);
        utf8.remove_prefix(size);
    }
    return result;
}

}  // namespace gass
