#include "compare/comparison.h"
#include "compare/measures.h"
#include "compare/words.h"
#include "core/optional_number.h"
#include "record/record_json.h"
#include "record/spread_json.h"

#include <gass/version.h>

namespace gass {
namespace {

using compare::ComparedMethod;
using compare::Mean;

Json group_json(const ComparedGroup& group) {
    return {{"method", group.method},
            {"settings", group.settings},
            {"seeds", group.seeds},
            {"files", group.files},
            {"spread", group.spread ? to_json(*group.spread) : Json(nullptr)},
            {"sees_guide", group.sees_guide},
            {"seconds", or_null(compare::value_of(group, compare::kSeconds))},
            {"error", group.error.empty() ? Json(nullptr) : Json(group.error)}};
}

Json settings_json(const RecordedSettings& settings) {
    const Json all = to_json(settings);
    Json json = Json::object();
    for (const std::string_view key : compare::kCommonSettings) {
        if (const auto found = all.find(key); found != all.end()) json[key] = *found;
    }
    return json;
}

Json method_json(const ComparedMethod& method) {
    Json json{{"method", method.name}, {"failures", method.failures()}};
    for (const compare::Measure& measure : compare::kMeasures) {
        const Mean mean = compare::mean_of(method.groups, measure);
        json["mean"][measure.key] = or_null(mean.value);
        json["prompts"][measure.key] = mean.prompts;
    }
    return json;
}

}  // namespace

Json comparison_json(const Comparison& comparison) {
    Json json{{"gass", version()},         {"model", comparison.model},
              {"guide", comparison.guide}, {"settings", settings_json(comparison.settings)},
              {"methods", Json::array()},  {"prompts", Json::array()}};
    for (const ComparedMethod& method : compare::methods_of(comparison))
        json["methods"].push_back(method_json(method));
    for (const ComparedPrompt& prompt : comparison.prompts) {
        Json groups = Json::array();
        for (const ComparedGroup& group : prompt.groups) groups.push_back(group_json(group));
        json["prompts"].push_back(
            {{"prompt", prompt.prompt}, {"seeds", prompt.seeds}, {"groups", std::move(groups)}});
    }
    return json;
}

}  // namespace gass
