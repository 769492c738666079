#include "guidance/text/named_axes.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/text.h"

namespace gass {
namespace {

constexpr std::size_t kMaxAxes = 16;

std::string trimmed(std::string_view text) {
    constexpr std::string_view kSpace = " \t";
    const std::size_t first = text.find_first_not_of(kSpace);
    if (first == std::string_view::npos) return {};
    return std::string(text.substr(first, text.find_last_not_of(kSpace) - first + 1));
}

}  // namespace

std::vector<AxisTexts> parse_axes(std::string_view text) {
    std::vector<AxisTexts> axes;
    for (const std::string_view part : split(text, ';')) {
        if (trimmed(part).empty()) continue;
        const std::vector<std::string_view> ends = split(part, '|');
        AxisTexts axis;
        if (ends.size() == 2) axis = {trimmed(ends[0]), trimmed(ends[1])};
        if (axis.from.empty() || axis.to.empty()) {
            fail(ErrorCode::usage, SettingKey("vary"),
                 "expected two texts with a bar between, as \"at night|at noon\", got {}", in_quotes(part));
        }
        axes.push_back(std::move(axis));
    }
    if (axes.size() > kMaxAxes)
        fail(ErrorCode::usage, SettingKey("vary"), "{} axes; at most {}", axes.size(), kMaxAxes);
    return axes;
}

}  // namespace gass
