#include "compare/words.h"

#include "explain/group_story.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gass::compare {

std::string origin_line(const Comparison& comparison) {
    std::vector<std::string> parts;
    if (!comparison.model.empty()) parts.push_back(explain::short_model(comparison.model));
    if (!comparison.guide.empty()) parts.push_back("guide " + explain::short_model(comparison.guide));
    const Json& settings = comparison.settings;
    const auto value = [&](std::string_view key) -> const Json* {
        if (!settings.is_object()) return nullptr;
        const auto found = settings.find(key);
        return found == settings.end() || !found->is_number() ? nullptr : &*found;
    };
    if (const Json* steps = value("steps")) parts.push_back(steps->dump() + " steps");
    if (const Json* scale = value("cfg_scale"))
        parts.push_back(fmt::format("guidance {}", scale->get<double>()));
    if (value("width") != nullptr && value("height") != nullptr)
        parts.push_back(fmt::format("{} × {}", value("width")->dump(), value("height")->dump()));
    return fmt::format("{}", fmt::join(parts, " · "));
}

std::string spaced_method(std::string_view method) {
    std::string out;
    for (const char c : method) {
        out += c;
        if (c == ':' || c == ',') out += ' ';
    }
    return out;
}

}  // namespace gass::compare
