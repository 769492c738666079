#include "core/text_lines.h"

#include "core/split.h"

namespace gass {

std::vector<TextLine> filled_lines(std::string_view text) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    std::vector<TextLine> lines;
    std::size_t number = 0;
    for (std::string_view line : split(text, '\n')) {
        ++number;
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.find_first_not_of(" \t") != std::string_view::npos) lines.push_back({number, line});
    }
    return lines;
}

}  // namespace gass
