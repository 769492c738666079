#include "record/changes.h"

#include "core/json.h"
#include "guidance/text/parameters.h"
#include "record/record_json.h"

#include <fmt/format.h>

namespace gass {
namespace {

/// A newer gass writes more of the same method down.
bool is_same_method(const Json& before, const Json& now) {
    return without_later_knobs(before.get<std::string>()) == without_later_knobs(now.get<std::string>());
}

}  // namespace

std::vector<std::string> changes(const Record& before, const Record& now) {
    std::vector<std::string> lines;
    if (before.version != now.version)
        lines.push_back(fmt::format("made by gass {}, this is {}", before.version, now.version));
    if (before.machine != now.machine)
        lines.push_back(fmt::format("made with {}, this is {}", before.machine, now.machine));
    if (before.fingerprint != now.fingerprint)
        lines.push_back(fmt::format("the model's files are not the same: fingerprint {} then, {} now",
                                    before.fingerprint, now.fingerprint));
    const Json settings_before = to_json(before.settings);
    const Json settings_now = to_json(now.settings);
    for (const auto& [key, value] : settings_now.items()) {
        const auto was = settings_before.find(key);
        if (was == settings_before.end()) {
            lines.push_back(fmt::format("{} was not recorded, now {}", key, value.dump()));
        } else if (key == "method" && is_same_method(*was, value)) {
            continue;
        } else if (*was != value) {
            lines.push_back(fmt::format("{} was {}, now {}", key, was->dump(), value.dump()));
        }
    }
    return lines;
}

}  // namespace gass
