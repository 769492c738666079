#pragma once

#include <string>
#include <string_view>

namespace gass {

/// The text with `value` wherever `mark` stood; marks in the value stay.
inline std::string with_replaced(std::string text, std::string_view mark, std::string_view value) {
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size()))
        text.replace(at, mark.size(), value);
    return text;
}

}  // namespace gass
