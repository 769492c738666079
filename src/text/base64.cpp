#include "text/base64.h"

#include "core/fail.h"

#include <cstddef>
#include <cstdint>

namespace gass {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string decode_base64(std::string_view text, std::string_view where) {
    if (text.size() % 4 != 0)
        fail(ErrorCode::model_invalid, where, "base64 text has a length that is not a multiple of 4");
    for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
    std::string result;
    result.reserve(text.size() / 4 * 3 + 2);
    std::uint32_t bits = 0;
    unsigned count = 0;
    for (const char c : text) {
        const std::size_t digit = kDigits.find(c);
        if (digit == std::string_view::npos)
            fail(ErrorCode::model_invalid, where, "base64 text has a wrong character");
        bits = (bits << 6U) | static_cast<std::uint32_t>(digit);
        count += 6;
        if (count < 8) continue;
        count -= 8;
        result.push_back(static_cast<char>((bits >> count) & 0xFFU));
    }
    return result;
}

std::string encode_base64(std::span<const std::byte> bytes) {
    std::string result;
    result.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t start = 0; start < bytes.size(); start += 3) {
        const std::size_t count = bytes.size() - start < 3 ? bytes.size() - start : 3;
        std::uint32_t bits = 0;
        for (std::size_t i = 0; i < 3; ++i)
            bits = (bits << 8U) | (i < count ? std::to_integer<std::uint32_t>(bytes[start + i]) : 0U);
        for (std::size_t i = 0; i < 4; ++i)
            result.push_back(i <= count ? kDigits[(bits >> (18 - 6 * i)) & 0x3FU] : '=');
    }
    return result;
}

}  // namespace gass
