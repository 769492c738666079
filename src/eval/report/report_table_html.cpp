#include "core/quote.h"
#include "eval/report/report_html_parts.h"
#include "eval/report/report_words.h"
#include "page/html.h"
#include "page/shown.h"

#include <fmt/format.h>

#include <algorithm>

namespace gass::eval {
namespace {

using page::isolated;
using page::shown;

std::string number(std::optional<double> value, int decimals, bool is_best) {
    const std::string text = shown(value, decimals);
    return is_best ? fmt::format("<strong>{}<span class=\"unseen\"> best</span></strong>", text) : text;
}

std::string cell_html(const TableCell& cell, const TableColumn& column, TableLayout layout) {
    const int decimals = column.decimals;
    std::string out = number(cell.value, decimals, cell.is_best);
    std::string below;
    switch (layout) {
        case TableLayout::methods:
            out += sign_mark(cell.sign);
            if (cell.interval)
                below = fmt::format("<small>[{}]</small>", shown_interval(*cell.interval, decimals));
            break;
        case TableLayout::sources:
            if (cell.deviation)
                out += fmt::format("<span class=\"aside\"> ± {}</span>", shown(cell.deviation, decimals));
            break;
        case TableLayout::splits:
            if (!cell.second) break;
            out += " → " + number(cell.second, decimals, cell.second_is_best) + sign_mark(cell.sign);
            break;
    }
    if (cell.is_partial) below += fmt::format("<small>n = {}</small>", cell.prompts);
    if (const std::string printed = published_text(cell, column); !printed.empty())
        below += fmt::format("<small class=\"printed\">paper {}</small>", printed);
    return fmt::format("<td>{}{}</td>", out, below);
}

/// The models over their columns; empty without their names.
std::string block_row(const ReportTable& table) {
    const bool has_names = std::any_of(table.blocks.begin(), table.blocks.end(),
                                       [](const TableBlock& block) { return !block.name.empty(); });
    if (!has_names) return {};
    std::string out = "<tr><td></td>";
    for (const TableBlock& block : table.blocks) {
        if (block.columns.empty()) continue;
        out += fmt::format("<th class=\"block\" scope=\"colgroup\" colspan=\"{}\">{}</th>",
                           block.columns.size(), isolated(block.name));
    }
    return out + "</tr>";
}

std::string column_row(const ReportTable& table) {
    std::string out = fmt::format("<tr><th scope=\"col\">{}</th>", isolated(table.corner));
    for (const TableBlock& block : table.blocks) {
        for (const TableColumn& column : block.columns)
            out += fmt::format("<th scope=\"col\">{} {}</th>", isolated(column.name), arrow_of(column));
    }
    return out + "</tr>";
}

/// Methods have their letters, which the plots have too.
std::string row_title(const Suite& suite, const ReportTable& table, const TableRow& row) {
    const SuiteMethod* method = table.layout == TableLayout::methods ? suite.find_method(row.id) : nullptr;
    const std::string name = page::beginning(row.name, 120);
    if (method == nullptr) return isolated(name);
    return page::method_title(static_cast<std::size_t>(method - suite.methods.data()), name);
}

}  // namespace

std::string sign_mark(Sign sign) {
    switch (sign) {
        case Sign::better:
            return "<span class=\"sign\">▲<span class=\"unseen\"> significantly better</span></span>";
        case Sign::worse:
            return "<span class=\"sign\">▼<span class=\"unseen\"> significantly worse</span></span>";
        case Sign::none:
            break;
    }
    return "<span class=\"sign\"></span>";
}

std::string table_section(const Results& results, const ReportTable& table) {
    const std::vector<const TableColumn*> columns = table.columns();
    std::string rows;
    for (const TableRow& row : table.rows) {
        rows += fmt::format("<tr{}><th scope=\"row\">{}</th>", row.after_rule ? " class=\"after-rule\"" : "",
                            row_title(results.suite, table, row));
        for (std::size_t i = 0; i < columns.size(); ++i)
            rows += cell_html(row.cells[i], *columns[i], table.layout);
        rows += "</tr>\n";
    }
    std::string out =
        fmt::format("<section id=\"table-{}\"><h2>{}</h2>\n", xml_escaped(table.id), isolated(table.title));
    const std::string_view classes = table.layout == TableLayout::sources ? "report" : "report signed";
    out += page::scroll_box(table.title,
                            fmt::format("<table class=\"{}\"><thead>{}{}</thead><tbody>\n{}</tbody></table>",
                                        classes, block_row(table), column_row(table), rows));
    out += fmt::format("<p class=\"note table-note\">{}</p>\n", isolated(reading_note(results, table)));
    if (const auto lines = missing_values(table); !lines.empty()) {
        out += "<ul class=\"note\">";
        for (const std::string& line : lines) out += fmt::format("<li>{}</li>", isolated(line));
        out += "</ul>\n";
    }
    return out + "</section>\n";
}

}  // namespace gass::eval
