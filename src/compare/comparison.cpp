#include "compare/comparison.h"

#include "compare/measures.h"
#include "compare/words.h"
#include "core/optional_number.h"
#include "core/quote.h"
#include "record/labels.h"
#include "record/record_json.h"
#include "record/spread_json.h"
#include "sheet/sheet.h"

#include <gass/version.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace gass {
namespace {

using compare::ComparedMethod;
using compare::Mean;

// What fits on a terminal.
constexpr std::array kColumns{compare::kSpp, compare::kVendi, compare::kClipScore, compare::kPairwise,
                              compare::kSeconds};

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

std::vector<std::string> comparison_header() {
    std::vector<std::string> header{"method"};
    for (const compare::Measure& measure : kColumns) header.emplace_back(measure.title);
    return header;
}

std::vector<std::vector<std::string>> comparison_rows(const Comparison& comparison) {
    std::vector<std::vector<std::string>> rows;
    for (const compare::ComparedMethod& method : compare::methods_of(comparison)) {
        std::string name = method.name;
        const std::size_t failures = method.failures();
        if (failures == method.groups.size()) {
            name += " (failed)";
        } else if (failures > 0) {
            name += fmt::format(" (failed for {} of {} prompts)", failures, method.groups.size());
        }
        std::vector<std::string> row{std::move(name)};
        for (const compare::Measure& measure : kColumns)
            row.push_back(compare::shown(compare::mean_of(method.groups, measure).value, measure));
        rows.push_back(std::move(row));
    }
    return rows;
}

std::string comparison_caution(const Comparison& comparison) {
    std::vector<std::string> names;
    for (const compare::ComparedMethod& method : compare::methods_of(comparison)) {
        if (!method.groups.empty() && method.groups.front()->sees_guide) names.push_back(method.name);
    }
    if (names.empty()) return {};
    return fmt::format(
        "{} measures, and {} looked through it while making images: to an encoder that no method "
        "sees, the difference may be smaller.",
        comparison.guide, fmt::join(names, ", "));
}

std::string comparison_csv(const Comparison& comparison) {
    using namespace compare;
    std::string out = "prompt,method,images,spp,d_dep,d_ind,vendi,clip_score,pairwise,seconds,seeds,error";
    out += kCsvLineEnd;
    for (const ComparedPrompt& prompt : comparison.prompts) {
        for (const ComparedGroup& group : prompt.groups) {
            std::vector<std::string> fields{csv_field(prompt.prompt), csv_field(group.method),
                                            std::to_string(group.images.size())};
            for (const Measure& measure : {kSpp, kAlong, kAcross, kVendi, kClipScore, kPairwise, kSeconds})
                fields.push_back(or_empty(value_of(group, measure)));
            fields.push_back(fmt::format("{}", fmt::join(group.seeds, " ")));
            fields.push_back(csv_field(group.error));
            out += fmt::format("{}{}", fmt::join(fields, ","), kCsvLineEnd);
        }
    }
    return out;
}

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

Image comparison_sheet(const ComparedPrompt& prompt, const Comparison& comparison) {
    Sheet sheet{prompt.prompt, compare::origin_line(comparison), {}};
    for (const ComparedGroup& group : prompt.groups) {
        SheetRow row{spaced_method(group.method), {}};
        if (!group.error.empty()) row.label += " (failed)";
        row.cells.resize(std::max(prompt.seeds.size(), group.images.size()));
        for (std::size_t i = 0; i < group.images.size(); ++i) {
            row.cells[i].image = &group.images[i];
            if (i < group.seeds.size()) row.cells[i].label = fmt::format("seed {}", group.seeds[i]);
        }
        sheet.rows.push_back(std::move(row));
    }
    return draw_sheet(sheet);
}

}  // namespace gass
