#include "compare/comparison.h"
#include "compare/measures.h"
#include "core/optional_number.h"

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
            {"spread", group.spread},
            {"sees_guide", group.sees_guide},
            {"seconds", or_null(compare::value_of(group, compare::kSeconds))},
            {"error", group.error.empty() ? Json(nullptr) : Json(group.error)}};
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
              {"guide", comparison.guide}, {"settings", comparison.settings},
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
