#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace gass {

struct TextLine {
    std::size_t number = 1;  ///< in its file
    std::string_view text;   ///< without \r and \n
};

/// The lines of a text file that hold more than blanks; a byte order mark is passed over.
std::vector<TextLine> filled_lines(std::string_view text);

}  // namespace gass
