#include "core/csv.h"

#include "core/quote.h"

namespace gass {

std::string csv_field(std::string_view text) {
    const bool quoted = text.find_first_of(",\"\r\n") != std::string_view::npos;
    std::string out = quoted ? "\"" : "";
    while (!text.empty()) {
        const std::size_t length = utf8_sequence_length(text);
        const std::string_view character = text.substr(0, length == 0 ? 1 : length);
        text.remove_prefix(character.size());
        if (length == 0 || character.front() == '\0') {
            out += "\uFFFD";
        } else {
            if (character == "\"") out += '"';
            out += character;
        }
    }
    if (quoted) out += '"';
    return out;
}

}  // namespace gass
