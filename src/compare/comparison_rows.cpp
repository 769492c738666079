#include "compare/comparison.h"
#include "compare/measures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace gass {
namespace {

// What fits on a terminal.
constexpr std::array kColumns{compare::kSpp, compare::kVendi, compare::kClipScore, compare::kPairwise,
                              compare::kSeconds};

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

}  // namespace gass
