#include "compare/page_parts.h"
#include "compare/words.h"

#include <fmt/format.h>

#include <cmath>

namespace gass::compare {
namespace {

/// "+0.021 (+19 %)", the last space one that does not break, "±0.000" for what reads the same.
std::string difference(double value, double first, const Measure& measure) {
    const double by = value - first;
    std::string text = fmt::format("{:.{}f}", std::abs(by), measure.decimals);
    if (text.find_first_not_of("0.") == std::string::npos) return "±" + text;
    const std::string_view sign = by < 0 ? "−" : "+";
    text = fmt::format("{}{}", sign, text);
    // A share of next to nothing says nothing, and neither does a share that is next to nothing.
    const double percent = first > 0 ? 100 * std::abs(by) / first : 0;
    if (percent >= 0.5 && percent < 1000) text += fmt::format(" ({}{:.0f}\u00A0%)", sign, percent);
    return text;
}

struct Column {
    Measure measure;
    std::vector<Mean> means;
    std::vector<bool> best;
};

std::vector<Column> columns_of(const std::vector<ComparedMethod>& methods) {
    std::vector<Column> columns;
    for (const Measure& measure : kMeasures) {
        std::vector<Mean> means;
        for (const ComparedMethod& method : methods) means.push_back(mean_of(method.groups, measure));
        std::vector<bool> best = best_of(means, measure);
        columns.push_back({measure, std::move(means), std::move(best)});
    }
    return columns;
}

/// Below a number: over which prompts it is the mean, if not all, or how it differs from the first method's.
std::string comment(const Column& column, std::size_t row, std::size_t prompts) {
    const Mean& mean = column.means[row];
    const Mean& first = column.means.front();
    if (!mean.value) return {};
    if (mean.prompts < prompts) return fmt::format("<small>mean of {} of {}</small>", mean.prompts, prompts);
    if (row == 0 || !first.value || first.prompts < prompts) return {};
    return fmt::format("<small>{}</small>", difference(*mean.value, *first.value, column.measure));
}

std::string cell(const Column& column, std::size_t row, std::size_t prompts) {
    std::string text = shown(column.means[row].value, column.measure);
    if (column.best[row])
        text = fmt::format("<strong class=\"best\">{}<span class=\"unseen\"> best</span></strong>", text);
    return fmt::format("<td>{}{}</td>", text, comment(column, row, prompts));
}

std::string failure_note(const ComparedMethod& method) {
    const std::size_t failures = method.failures();
    if (failures == 0) return {};
    if (method.groups.size() == 1) return "<small class=\"failed\">failed</small>";
    return fmt::format("<small class=\"failed\">failed for {} of {} prompts</small>", failures,
                       method.groups.size());
}

}  // namespace

std::string numbers_table(const std::vector<ComparedMethod>& methods, std::string_view anchor) {
    const std::vector<Column> columns = columns_of(methods);
    std::string out = "<table><thead><tr><th scope=\"col\">Method</th>";
    for (const Column& column : columns) {
        out += fmt::format("<th scope=\"col\">{} <span class=\"way\">{}</span></th>", column.measure.title,
                           column.measure.more_is_better ? "↑" : "↓");
    }
    out += "</tr></thead><tbody>\n";
    for (std::size_t row = 0; row < methods.size(); ++row) {
        std::string title = method_title(row, beginning(methods[row].name, 120));
        if (!anchor.empty()) title = fmt::format("<a href=\"#{}-m{}\">{}</a>", anchor, row, title);
        out += fmt::format("<tr><th scope=\"row\">{}{}</th>", title, failure_note(methods[row]));
        for (const Column& column : columns) out += cell(column, row, methods[row].groups.size());
        out += "</tr>\n";
    }
    return page::scroll_box("Numbers", out + "</tbody></table>");
}

}  // namespace gass::compare
