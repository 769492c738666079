#include "server/http/target.h"

#include "core/quote.h"
#include "core/text.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

namespace gass::http {
namespace {

constexpr std::size_t kMostParts = 64;

std::optional<unsigned> hex_digit(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
    if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
    return std::nullopt;
}

bool is_plain(std::string_view text) {
    return is_utf8(text) && std::ranges::none_of(text, [](char c) {
               const auto code = static_cast<unsigned char>(c);
               return code < 0x20 || code == 0x7F;
           });
}

/// A part that names something in a folder, and no way out of it.
bool is_part(std::string_view text) {
    return is_plain(text) && text != "." && text != ".." && text.find_first_of("/\\") == text.npos;
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '+' && plus_is_space) {
            out += ' ';
        } else if (text[i] != '%') {
            out += text[i];
        } else {
            if (i + 2 >= text.size()) return std::nullopt;
            const auto high = hex_digit(text[i + 1]);
            const auto low = hex_digit(text[i + 2]);
            if (!high || !low) return std::nullopt;
            out += static_cast<char>(*high * 16 + *low);
            i += 2;
        }
    }
    return out;
}

std::optional<Target> parse_target(std::string_view text) {
    if (!text.starts_with('/')) return std::nullopt;
    Target target;
    const std::size_t mark = text.find('?');
    const std::string_view path = text.substr(1, mark == text.npos ? mark : mark - 1);
    if (!path.empty()) {
        for (const std::string_view part : split(path, '/')) {
            const auto decoded = percent_decoded(part, false);
            if (!decoded || !is_part(*decoded) || target.path.size() == kMostParts) return std::nullopt;
            target.path.push_back(*decoded);
        }
    }
    if (mark == text.npos || mark + 1 == text.size()) return target;
    for (const std::string_view pair : split(text.substr(mark + 1), '&')) {
        const std::size_t equals = pair.find('=');
        const auto key = percent_decoded(pair.substr(0, equals), true);
        const auto value =
            percent_decoded(equals == pair.npos ? std::string_view() : pair.substr(equals + 1), true);
        if (!key || !value || !is_plain(*key) || !is_plain(*value) || target.query.size() == kMostParts)
            return std::nullopt;
        target.query.insert_or_assign(*key, *value);
    }
    return target;
}

std::optional<std::string> host_of(std::string_view authority) {
    std::string_view host = authority;
    std::string_view port;
    const std::size_t close = authority.starts_with('[') ? authority.find(']') : std::string_view::npos;
    if (authority.starts_with('[')) {
        if (close == authority.npos) return std::nullopt;
        host = authority.substr(0, close + 1);
        port = authority.substr(close + 1);
    } else if (const std::size_t colon = authority.find(':'); colon != authority.npos) {
        host = authority.substr(0, colon);
        port = authority.substr(colon);
    }
    if (!port.empty() && (port[0] != ':' || !parse_number<std::uint16_t>(port.substr(1))))
        return std::nullopt;
    std::string name(host);
    if (name.ends_with('.')) name.pop_back();
    if (name.empty()) return std::nullopt;
    for (char& c : name) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        const bool is_known = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
                              c == '_' ||
                              ((c == ':' || c == '[' || c == ']' || c == '%') && close != host.npos);
        if (!is_known) return std::nullopt;
    }
    return name;
}

bool is_address(std::string_view host) {
    std::array<unsigned char, 16> address{};
    if (host.starts_with('[') && host.ends_with(']'))
        return inet_pton(AF_INET6, std::string(host.substr(1, host.size() - 2)).c_str(), address.data()) == 1;
    return inet_pton(AF_INET, std::string(host).c_str(), address.data()) == 1;
}

}  // namespace gass::http
