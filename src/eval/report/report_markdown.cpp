#include "eval/report/analysis.h"
#include "eval/report/report.h"
#include "eval/report/report_words.h"
#include "eval/report/table.h"
#include "page/shown.h"
#include "sheet/characters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace gass::eval {
namespace {

using page::shown;

constexpr std::size_t kPromptCharacters = 120;

/// Any text as one line that Markdown takes for nothing but text, within a table too.
std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : to_utf8(drawn_characters(text))) {
        if (std::string_view("\\`*_[]<>|~$#&").find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

/// The same where a line begins, which decides what a line is: a list, a rule, a heading's underline.
std::string own_line(std::string_view text) {
    std::string line = escaped(text);
    const std::size_t digits = line.find_first_not_of("0123456789");
    if (digits != std::string::npos && std::string_view("-+=.)").find(line[digits]) != std::string_view::npos)
        line.insert(digits, 1, '\\');
    return line + "\n";
}

std::string paragraph(std::string_view text) {
    return own_line(text) + "\n";
}

std::string list_of(const std::vector<std::string>& texts) {
    std::string out;
    for (const std::string& text : texts) out += "- " + own_line(text);
    return texts.empty() ? "" : out + "\n";
}

std::string row_of(const std::vector<std::string>& cells) {
    return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

/// `columns` that hold text, then numbers.
std::string rule_of(std::size_t columns, std::size_t texts) {
    std::string out = "|";
    for (std::size_t i = 0; i < columns; ++i) out += i < texts ? " --- |" : " ---: |";
    return out + "\n";
}

std::string bold_if(bool is_best, const std::string& text) {
    return is_best ? "**" + text + "**" : text;
}

std::string sign_of(Sign sign) {
    switch (sign) {
        case Sign::better:
            return " ▲";
        case Sign::worse:
            return " ▼";
        case Sign::none:
            break;
    }
    return {};
}

std::string cell_text(const TableCell& cell, const TableColumn& column, TableLayout layout) {
    const int decimals = column.decimals;
    std::string text = bold_if(cell.is_best, shown(cell.value, decimals));
    switch (layout) {
        case TableLayout::methods:
            text += sign_of(cell.sign);
            if (cell.interval) text += fmt::format(" \\[{}\\]", shown_interval(*cell.interval, decimals));
            break;
        case TableLayout::sources:
            if (cell.deviation) text += " ± " + shown(cell.deviation, decimals);
            break;
        case TableLayout::splits:
            if (!cell.second) break;
            text += " → " + bold_if(cell.second_is_best, shown(cell.second, decimals)) + sign_of(cell.sign);
            break;
    }
    if (cell.is_partial) text += fmt::format(" (n = {})", cell.prompts);
    if (const std::string printed = published_text(cell, column); !printed.empty())
        text += " · paper " + printed;
    return text;
}

std::string table_text(const Results& results, const ReportTable& table) {
    std::vector<std::string> header{escaped(table.corner)};
    for (const TableBlock& block : table.blocks) {
        for (const TableColumn& column : block.columns) {
            const std::string model = block.name.empty() ? "" : escaped(block.name) + " · ";
            header.push_back(fmt::format("{}{} {}", model, escaped(column.name), arrow_of(column)));
        }
    }
    std::string out =
        fmt::format("## {}\n\n{}{}", escaped(table.title), row_of(header), rule_of(header.size(), 1));
    const std::vector<const TableColumn*> columns = table.columns();
    for (const TableRow& row : table.rows) {
        // Markdown has no rules within a table.
        if (row.after_rule) out += row_of(std::vector<std::string>(header.size()));
        std::vector<std::string> cells{escaped(row.name)};
        for (std::size_t i = 0; i < columns.size(); ++i)
            cells.push_back(cell_text(row.cells[i], *columns[i], table.layout));
        out += row_of(cells);
    }
    return out + "\n" + paragraph(reading_note(results, table)) + list_of(missing_values(table));
}

std::string differences_text(const Results& results, const ModelAnalysis& analysis) {
    const Suite& suite = results.suite;
    const std::vector<std::string> header{"Method", "Metric",         "Difference", "95 % interval",
                                          "Ratio",  "Prompts higher", "lower",      "equal"};
    std::string rows;
    for (std::size_t method = 0; method < suite.methods.size(); ++method) {
        for (std::size_t i = 0; i < suite.metrics.size(); ++i) {
            const PairedDifference& difference = analysis.differences[method][i];
            if (!difference.mean) continue;
            const SuiteMetric& metric = suite.metrics[i];
            const auto& interval = difference.interval;
            const int decimals = metric.decimals + kMoreDecimals;
            rows += row_of({escaped(suite.methods[method].name), escaped(metric.name),
                            shown_difference(*difference.mean, decimals) +
                                sign_of(sign_for(difference, metric.more_is_better)),
                            interval ? shown_interval(*interval, decimals) : "–",
                            difference.ratio ? shown_ratio(*difference.ratio) : "–",
                            std::to_string(difference.higher), std::to_string(difference.lower),
                            std::to_string(difference.equal)});
        }
    }
    if (rows.empty()) return {};
    return fmt::format("### Differences to {}\n\n{}{}{}\n", escaped(method_name(suite, suite.baseline)),
                       row_of(header), rule_of(header.size(), 2), rows);
}

std::string ranks_text(const Suite& suite, const ModelAnalysis& analysis) {
    const std::vector<std::size_t> metrics = ranked_metrics(analysis);
    if (metrics.empty()) return {};
    std::vector<std::string> header{"Method"};
    for (const std::size_t i : metrics) header.push_back(escaped(suite.metrics[i].name));
    std::string out = fmt::format("### Mean ranks\n\n{}{}", row_of(header), rule_of(header.size(), 1));
    for (std::size_t method = 0; method < suite.methods.size(); ++method) {
        std::vector<std::string> cells{escaped(suite.methods[method].name)};
        for (const std::size_t i : metrics) cells.push_back(shown(analysis.ranks[method][i], kRankDecimals));
        out += row_of(cells);
    }
    return out + "\n";
}

std::string fronts_text(const Suite& suite, const ModelAnalysis& analysis) {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < suite.plots.size(); ++i) {
        if (std::string line = front_line(suite, suite.plots[i], analysis.plots[i]); !line.empty())
            lines.push_back(std::move(line));
    }
    return lines.empty() ? "" : "### Pareto fronts\n\n" + list_of(lines);
}

std::string failures_text(const Results& results) {
    if (results.failures.empty()) return {};
    const Suite& suite = results.suite;
    std::string out =
        "## Failures\n\n" + row_of({"Model", "Method", "Prompt", "Group", "Reason"}) + rule_of(5, 5);
    for (const Failure& failure : results.failures) {
        const std::string prompt = page::beginning(prompt_text(suite, failure.prompt), kPromptCharacters);
        out += row_of({escaped(model_name(suite, failure.model)), escaped(method_name(suite, failure.method)),
                       escaped(prompt), std::to_string(failure.group), escaped(failure.reason)});
    }
    return out + "\n";
}

/// JSON as code, within a fence longer than any in it.
std::string provenance_text(const Results& results) {
    const std::string json = results.provenance.dump(2, ' ', true, Json::error_handler_t::replace);
    std::size_t longest = 2;
    for (std::size_t at = 0; at < json.size(); ++at) {
        const std::size_t end = std::min(json.find_first_not_of('`', at), json.size());
        longest = std::max(longest, end - at);
        at = end;
    }
    const std::string fence(longest + 1, '`');
    return fmt::format(
        "## Provenance\n\n<details><summary>Models, methods and encoders</summary>\n\n{0}json\n{1}\n{0}\n\n"
        "</details>\n",
        fence, json);
}

}  // namespace

std::string report_markdown(const Results& results) {
    const Suite& suite = results.suite;
    std::string out = fmt::format("# {}\n\n", escaped(suite.title.empty() ? suite.name : suite.title));
    if (!suite.description.empty()) out += paragraph(suite.description);
    out += paragraph(summary_paragraph(results));
    for (const ReportTable& table : report_tables(results)) out += table_text(results, table);
    if (const std::string note = published_note(results); !note.empty()) out += paragraph(note);
    for (std::size_t i = 0; i < suite.models.size(); ++i) {
        const ModelAnalysis analysis = analyze(results, i);
        out += fmt::format("## {}\n\n", escaped(suite.models[i].name));
        out +=
            differences_text(results, analysis) + ranks_text(suite, analysis) + fronts_text(suite, analysis);
    }
    out += failures_text(results) + "## How the numbers are made\n\n";
    return out + list_of(method_notes(results)) + provenance_text(results);
}

}  // namespace gass::eval
