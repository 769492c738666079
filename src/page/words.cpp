#include "page/words.h"

#include "core/quote.h"

#include <algorithm>

namespace gass::page {

std::string beginning(std::string_view text, std::size_t characters) {
    std::size_t end = 0;
    std::size_t before_last = 0;
    for (std::size_t count = 0; count < characters && end < text.size(); ++count) {
        before_last = end;
        end += std::max<std::size_t>(1, utf8_sequence_length(text.substr(end)));
    }
    if (end == text.size()) return std::string(text);
    return std::string(text.substr(0, before_last)) + "…";
}

std::string letter_of(std::size_t method) {
    constexpr std::size_t kLetters = 26;
    return method < kLetters ? std::string(1, static_cast<char>('A' + method)) : std::to_string(method + 1);
}

}  // namespace gass::page
