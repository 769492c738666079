#include "io/text_encoding.h"

#include "core/quote.h"

#include <utf8proc.h>

#include <array>

namespace gass {
namespace {

/// Calls `use` with each code point; false where the text is not UTF-8 or `use` says so.
template <class Use>
bool each_code_point(std::string_view utf8, Use use) {
    const auto* at = reinterpret_cast<const utf8proc_uint8_t*>(utf8.data());
    auto left = static_cast<utf8proc_ssize_t>(utf8.size());
    while (left > 0) {
        utf8proc_int32_t point = 0;
        const utf8proc_ssize_t length = utf8proc_iterate(at, left, &point);
        if (length <= 0 || !use(static_cast<char32_t>(point))) return false;
        at += length;
        left -= length;
    }
    return true;
}

}  // namespace

void append_code_point(std::string& utf8, char32_t point) {
    std::array<utf8proc_uint8_t, 4> bytes{};
    const auto length = utf8proc_encode_char(static_cast<utf8proc_int32_t>(point), bytes.data());
    utf8.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(length));
}

std::string latin1_to_utf8(std::string_view latin1) {
    std::string out;
    out.reserve(latin1.size());
    for (const char c : latin1) append_code_point(out, static_cast<unsigned char>(c));
    return out;
}

std::optional<std::string> utf8_to_latin1(std::string_view utf8) {
    std::string out;
    const bool fits = each_code_point(utf8, [&](char32_t point) {
        out += static_cast<char>(point);
        return point <= 0xFF;
    });
    if (!fits) return std::nullopt;
    return out;
}

std::vector<std::byte> utf8_to_utf16_big_endian(std::string_view utf8) {
    std::vector<std::byte> out;
    out.reserve(utf8.size() * 2);
    const auto append = [&](char32_t unit) {
        out.push_back(static_cast<std::byte>(unit >> 8U));
        out.push_back(static_cast<std::byte>(unit & 0xFFU));
    };
    each_code_point(utf8, [&](char32_t point) {
        if (point < 0x10000) {
            append(point);
        } else {
            append(0xD800U + ((point - 0x10000U) >> 10U));
            append(0xDC00U + ((point - 0x10000U) & 0x3FFU));
        }
        return true;
    });
    return out;
}

std::string utf16_to_utf8(std::span<const std::byte> utf16, bool big_endian) {
    const auto unit_at = [&](std::size_t i) {
        const auto high = std::to_integer<char32_t>(utf16[i + (big_endian ? 0 : 1)]);
        const auto low = std::to_integer<char32_t>(utf16[i + (big_endian ? 1 : 0)]);
        return (high << 8U) | low;
    };
    std::string out;
    for (std::size_t i = 0; i + 1 < utf16.size(); i += 2) {
        char32_t point = unit_at(i);
        if (point >= 0xD800 && point <= 0xDFFF) {
            const char32_t next = i + 3 < utf16.size() ? unit_at(i + 2) : 0;
            if (point < 0xDC00 && next >= 0xDC00 && next <= 0xDFFF) {
                point = 0x10000U + ((point - 0xD800U) << 10U) + (next - 0xDC00U);
                i += 2;
            } else {
                point = 0xFFFD;
            }
        }
        append_code_point(out, point);
    }
    return out;
}

std::string utf8_or_latin1(std::string_view text) {
    return is_utf8(text) ? std::string(text) : latin1_to_utf8(text);
}

}  // namespace gass
