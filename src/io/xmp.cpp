#include "io/xmp.h"

#include "core/quote.h"
#include "io/text_encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace gass {
namespace {

constexpr std::string_view kProperty = "gass:record";
constexpr std::string_view kBeforeRecord =
    "<?xpacket begin=\"\xEF\xBB\xBF\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>"
    "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF "
    "xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"><rdf:Description rdf:about=\"\" "
    "xmlns:gass=\"urn:gass:1.0/\"><gass:record>";
constexpr std::string_view kAfterRecord =
    "</gass:record></rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end=\"r\"?>";

// As much as is unpacked from a PNG.
constexpr std::size_t kMaxRecord = std::size_t{4} << 20U;

constexpr std::array<std::pair<std::string_view, char>, 5> kEntities{
    {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}}};

/// What stands between "&#" and ";" as a character; nothing if there is none of that number.
std::optional<char32_t> numbered_character(std::string_view number) {
    const bool hexadecimal = number.starts_with('x');
    if (hexadecimal) number.remove_prefix(1);
    std::uint32_t point = 0;
    const char* end = number.data() + number.size();
    const auto [stop, wrong] = std::from_chars(number.data(), end, point, hexadecimal ? 16 : 10);
    const bool is_surrogate = point >= 0xD800 && point <= 0xDFFF;
    if (wrong != std::errc() || stop != end || point == 0 || point > 0x10FFFF || is_surrogate)
        return std::nullopt;
    return static_cast<char32_t>(point);
}

/// XML's text as it was meant; nothing if it is none.
std::optional<std::string> unescaped(std::string_view xml) {
    constexpr std::size_t kLongestReference = 10;
    std::string text;
    while (!xml.empty()) {
        const std::size_t plain = std::min(xml.find('&'), xml.size());
        text += xml.substr(0, plain);
        xml.remove_prefix(plain);
        if (xml.empty()) break;
        const std::size_t end = xml.substr(0, kLongestReference).find(';');
        if (end == std::string_view::npos) return std::nullopt;
        const std::string_view name = xml.substr(1, end - 1);
        xml.remove_prefix(end + 1);
        if (name.starts_with('#')) {
            const std::optional<char32_t> point = numbered_character(name.substr(1));
            if (!point) return std::nullopt;
            append_code_point(text, *point);
            continue;
        }
        const auto entity = std::ranges::find(kEntities, name, &std::pair<std::string_view, char>::first);
        if (entity == kEntities.end()) return std::nullopt;
        text += entity->second;
    }
    if (!is_utf8(text) || text.find('\0') != std::string::npos) return std::nullopt;
    return text;
}

/// What follows the property's name, if it stands in a tag: the element's content, or the attribute's value.
std::optional<std::string_view> value_after(std::string_view before, std::string_view after) {
    if (before.ends_with('<') && after.starts_with('>')) {
        after.remove_prefix(1);
        const std::size_t end = after.find('<');
        if (!after.substr(std::min(end, after.size())).starts_with("</gass:record>")) return std::nullopt;
        return after.substr(0, end);
    }
    constexpr std::string_view kSpaces = " \t\r\n";
    if (before.empty() || kSpaces.find(before.back()) == std::string_view::npos) return std::nullopt;
    if (!after.starts_with("=\"") && !after.starts_with("='")) return std::nullopt;
    const char quote = after[1];
    after.remove_prefix(2);
    const std::size_t end = after.find(quote);
    if (end == std::string_view::npos) return std::nullopt;
    return after.substr(0, end);
}

}  // namespace

std::string make_xmp(std::string_view record) {
    std::string packet(kBeforeRecord);
    for (const char c : record) {
        const auto entity = std::ranges::find(kEntities, c, &std::pair<std::string_view, char>::second);
        if (c == '&' || c == '<' || c == '>') {
            packet += fmt::format("&{};", entity->first);
        } else if (static_cast<unsigned char>(c) < 0x20) {
            packet += fmt::format("&#x{:X};", static_cast<unsigned>(c));  // XML readers change bare line ends
        } else {
            packet += c;
        }
    }
    packet += kAfterRecord;
    return packet;
}

std::optional<std::string> parse_xmp(std::span<const std::byte> packet) {
    const std::string_view text(reinterpret_cast<const char*>(packet.data()), packet.size());
    for (std::size_t at = text.find(kProperty); at != std::string_view::npos; at = text.find(kProperty, at)) {
        const std::string_view before = text.substr(0, at);
        at += kProperty.size();
        if (const auto value = value_after(before, text.substr(at)))
            return value->size() > kMaxRecord ? std::nullopt : unescaped(*value);
    }
    return std::nullopt;
}

}  // namespace gass
