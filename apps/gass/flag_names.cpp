#include "flag_names.h"

#include "core/settings.h"

#include <algorithm>

namespace gass::cli {

std::string with_flags(std::string_view message) {
    std::string text;
    bool is_quoted = false;
    for (std::size_t i = 0; i < message.size(); ++i) {
        const char c = message[i];
        if (is_quoted && c == '\\' && i + 1 < message.size()) {
            text += c;
            text += message[++i];
            continue;
        }
        if (c == '"') is_quoted = !is_quoted;
        const std::size_t end = c == '`' && !is_quoted ? message.find('`', i + 1) : std::string_view::npos;
        const std::string_view key =
            end == std::string_view::npos ? std::string_view() : message.substr(i + 1, end - i - 1);
        const bool is_key = !key.empty() && std::ranges::all_of(key, [](char letter) {
            return (letter >= 'a' && letter <= 'z') || letter == '_' || (letter >= '0' && letter <= '9');
        });
        if (is_key) {
            text += flag_of(key);
            i = end;
        } else {
            text += c;
        }
    }
    return text;
}

}  // namespace gass::cli
