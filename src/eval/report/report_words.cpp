#include "eval/report/report_words.h"

#include "core/wording.h"
#include "page/shown.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace gass::eval {
namespace {

template <class Parts>
std::string names_of(const Parts& parts) {
    std::vector<std::string> names;
    for (const auto& part : parts) names.push_back(part.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

/// Of a setting that the models' groups were made with: "4", "4 or 8" where models differ; empty if nobody
/// says.
std::string numbers_of(const Results& results, const char* setting) {
    std::set<std::int64_t> numbers;
    for (const SuiteModel& model : results.suite.models) {
        const Json* settings = made_with(results, model.id);
        if (settings != nullptr && settings->contains(setting) && (*settings)[setting].is_number_integer())
            numbers.insert((*settings)[setting].get<std::int64_t>());
    }
    return fmt::format("{}", fmt::join(numbers, " or "));
}

/// "12 prompts", "2 prompts (the first of 12)"
std::string prompts_of(const Suite& suite) {
    const std::size_t count = suite.prompts.size();
    std::string text = counted(count, "prompt", "prompts");
    if (!suite.further_prompts.empty())
        text += fmt::format(" (the first of {})", count + suite.further_prompts.size());
    return text;
}

/// Whether a table holds a published number for a model, shown or not.
bool is_published(const SuiteTable& table, const std::string& model) {
    if (!table.published.is_object()) return false;
    if (table.layout == TableLayout::splits)
        return std::find(table.models.begin(), table.models.end(), model) != table.models.end();
    return table.published.contains(model);
}

}  // namespace

std::string too_few_prompts(const Suite& suite) {
    const std::size_t count = suite.prompts.size();
    if (suite.baseline.empty() || count >= kLeastForSign) return {};
    return fmt::format("No difference is marked as significant: that takes {} prompts, and there {} {}.",
                       kLeastForSign, count == 1 ? "is" : "are", count);
}

std::size_t missing_groups(const Results& results) {
    const std::size_t known = results.done + results.failures.size();
    return results.planned > known ? results.planned - known : 0;
}

std::string summary_paragraph(const Results& results) {
    const Suite& suite = results.suite;
    std::string text = fmt::format(
        "{} ({}) and {} ({}), {} × {}", counted(suite.models.size(), "model", "models"),
        names_of(suite.models), counted(suite.methods.size(), "method", "methods"), names_of(suite.methods),
        prompts_of(suite), counted(static_cast<std::size_t>(suite.groups), "group", "groups"));
    if (const std::string images = numbers_of(results, "images"); !images.empty())
        text += fmt::format(" × {} {}", images, images == "1" ? "image" : "images");
    if (const std::string steps = numbers_of(results, "steps"); !steps.empty())
        text += fmt::format(", {} {} each", steps, steps == "1" ? "step" : "steps");
    text += fmt::format(". Of {}, {} done", counted(results.planned, "group", "groups"),
                        counted(results.done, "is", "are"));
    if (!results.failures.empty()) text += fmt::format(", {} failed", results.failures.size());
    if (const std::size_t missing = missing_groups(results); missing > 0)
        text += fmt::format(", {} missing", counted(missing, "is", "are"));
    return text + ".";
}

std::string published_note(const Results& results) {
    const Suite& suite = results.suite;
    if (!suite.published) return {};
    std::vector<std::string> with;
    std::vector<std::string> without;
    for (const SuiteModel& model : suite.models) {
        if (std::none_of(suite.tables.begin(), suite.tables.end(),
                         [&](const SuiteTable& table) { return is_published(table, model.id); }))
            continue;
        (matches_published(results, model.id) ? with : without).push_back(model.name);
    }
    const std::string& source = suite.published->source;
    std::string text;
    if (!with.empty())
        text = fmt::format("“paper”: as printed in {}, for {}.", source, fmt::join(with, ", "));
    if (without.empty()) return text;
    if (!text.empty()) text += ' ';
    text += fmt::format(
        "For {} the numbers of {} are not shown: they were made with {} × {} images and the paper's own "
        "model, "
        "and this run differs from that",
        fmt::join(without, ", "), source, counted(suite.published->prompts, "prompt", "prompts"),
        suite.published->images);
    if (suite.prompts.size() != suite.published->prompts)
        text += fmt::format(" (it has {})", counted(suite.prompts.size(), "prompt", "prompts"));
    return text + ".";
}

std::string reading_note(const Results& results, const ReportTable& table) {
    std::string text = "↑ more is better, ↓ less is. Bold: the best of a column";
    if (table.layout == TableLayout::splits) {
        text = "↑ more is better, ↓ less is. Bold: the better of the two";
    }
    const std::string_view baseline = method_name(results.suite, results.suite.baseline);
    const std::string too_few = too_few_prompts(results.suite);
    switch (table.layout) {
        case TableLayout::sources:
            return text + ". ±: standard deviation over prompts.";
        case TableLayout::splits:
            if (!too_few.empty()) return text + fmt::format(". Before the arrow {}. {}", baseline, too_few);
            return text + fmt::format(
                              ". Before the arrow {}, ▲ significantly better and ▼ significantly worse "
                              "behind it (paired bootstrap, 95 %).",
                              baseline);
        case TableLayout::methods:
            break;
    }
    constexpr std::string_view kBrackets = "In brackets: 95 % interval of the mean.";
    if (!too_few.empty()) return text + fmt::format(". {} {}", too_few, kBrackets);
    return text + fmt::format(
                      ". ▲ significantly better, ▼ significantly worse than {} (paired bootstrap, "
                      "95 %). {}",
                      baseline, kBrackets);
}

std::vector<std::string> method_notes(const Results& results) {
    const std::string_view baseline = method_name(results.suite, results.suite.baseline);
    return {
        fmt::format(
            "A value is a mean over prompts. Its interval holds 95 % of the means of {} resamples of the "
            "prompts, drawn with replacement (percentile bootstrap, fixed seed); three prompts or more.",
            kResamples),
        fmt::format(
            "Differences are those to {} on the prompts that both have, resampled as pairs. They are "
            "called significant if the interval does not hold 0. No correction is made for the number of "
            "comparisons: of twenty without any difference, one is expected to look like one.",
            baseline),
        fmt::format("It takes {} prompts to call a difference significant. With five, and no difference in "
                    "truth, all "
                    "five point the same way in one of 16 cases, which is more than the 5 % that the word "
                    "allows; the "
                    "bootstrap cannot see that.",
                    kLeastForSign),
        "A metric of all images at once has one value, an interval only where the metric gives one, and no "
        "paired difference.",
        "A mean rank is over the prompts that all methods with values have: 1 is the best, ties share "
        "theirs.",
        "On the Pareto front are the methods that no other equals or beats in both metrics and beats in one, "
        "by "
        "their means.",
    };
}

std::string shown_interval(const Interval& interval, int decimals) {
    return fmt::format("{} … {}", page::shown(interval.low, decimals), page::shown(interval.high, decimals));
}

std::string shown_difference(double value, int decimals) {
    const std::string text = page::shown(value, decimals);
    return value > 0 && text.find_first_not_of("0.") != std::string::npos ? "+" + text : text;
}

std::string shown_ratio(double ratio) {
    // Beyond that a share of next to nothing says nothing.
    if (std::abs(ratio) >= 10) return "–";
    return shown_difference(100 * ratio, 1) + "\u00A0%";
}

std::string published_text(const TableCell& cell, const TableColumn& column) {
    if (!cell.published) return {};
    std::string text = page::shown(cell.published, column.decimals);
    if (cell.published_deviation) text += fmt::format(" ± {}", *cell.published_deviation);
    if (cell.published_second) text += " → " + page::shown(cell.published_second, column.decimals);
    return text;
}

std::vector<std::size_t> ranked_metrics(const ModelAnalysis& analysis) {
    std::set<std::size_t> metrics;
    for (const auto& ranks : analysis.ranks) {
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            if (ranks[i]) metrics.insert(i);
        }
    }
    return {metrics.begin(), metrics.end()};
}

std::string front_line(const Suite& suite, const SuitePlot& plot, const std::vector<PlacedMethod>& methods) {
    const SuiteMetric* x = suite.find_metric(plot.x);
    const SuiteMetric* y = suite.find_metric(plot.y);
    std::vector<std::string> names;
    for (const PlacedMethod& one : methods) {
        if (one.on_front) names.push_back(suite.methods[one.method].name);
    }
    if (x == nullptr || y == nullptr || names.empty()) return {};
    return fmt::format("{} and {}: {}", x->name, y->name, fmt::join(names, ", "));
}

std::string prompt_text(const Suite& suite, std::size_t prompt) {
    return prompt < suite.prompts.size() ? suite.prompts[prompt].text : "";
}

}  // namespace gass::eval
