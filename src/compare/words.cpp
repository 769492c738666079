#include "compare/words.h"

#include "core/wording.h"
#include "record/labels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gass::compare {

std::string origin_line(const Comparison& comparison) {
    std::vector<std::string> parts;
    if (!comparison.model.empty()) parts.push_back(model_label(comparison.model));
    if (!comparison.guide.empty()) parts.push_back("guide " + model_label(comparison.guide));
    const RecordedSettings& settings = comparison.settings;
    if (settings.steps) parts.push_back(counted(static_cast<std::uint64_t>(*settings.steps), "step"));
    if (settings.cfg_scale) parts.push_back(fmt::format("guidance {}", *settings.cfg_scale));
    if (settings.width && settings.height)
        parts.push_back(fmt::format("{} × {}", *settings.width, *settings.height));
    return fmt::format("{}", fmt::join(parts, " · "));
}

}  // namespace gass::compare
