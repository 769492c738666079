#include "eval/report/report.h"
#include "eval/report/report_words.h"
#include "eval/report/table.h"
#include "page/shown.h"
#include "sheet/characters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace gass::eval {
namespace {

using page::shown;

// What LaTeX, without packages, cannot take or takes for something else.
constexpr std::array kCommands{
    std::pair{U'\\', "\\textbackslash{}"},
    std::pair{U'~', "\\textasciitilde{}"},
    std::pair{U'^', "\\textasciicircum{}"},
    std::pair{U'<', "\\textless{}"},
    std::pair{U'>', "\\textgreater{}"},
    std::pair{U'|', "\\textbar{}"},
    std::pair{U'"', "{\\char34}"},
    std::pair{U'{', "\\{"},
    std::pair{U'}', "\\}"},
    std::pair{U'$', "\\$"},
    std::pair{U'&', "\\&"},
    std::pair{U'#', "\\#"},
    std::pair{U'%', "\\%"},
    std::pair{U'_', "\\_"},
    std::pair{U'`', "{\\char96}"},
    // Behind the end of a row these would be its options.
    std::pair{U'[', "{[}"},
    std::pair{U']', "{]}"},
    std::pair{U'*', "{*}"},
    std::pair{U'−', "$-$"},
    std::pair{U'–', "--"},
    std::pair{U'—', "---"},
    std::pair{U'…', "\\ldots{}"},
    std::pair{U'‘', "`"},
    std::pair{U'’', "'"},
    std::pair{U'“', "``"},
    std::pair{U'”', "''"},
    std::pair{U'↑', "$\\uparrow$"},
    std::pair{U'↓', "$\\downarrow$"},
    std::pair{U'→', "$\\rightarrow$"},
    std::pair{U'±', "$\\pm$"},
    std::pair{U'×', "$\\times$"},
    std::pair{U'·', "$\\cdot$"},
    std::pair{U'²', "$^2$"},
    std::pair{U'≤', "$\\leq$"},
    std::pair{U'≥', "$\\geq$"},
};

/// Letters of Western Europe that LaTeX reads as UTF-8 in any encoding of fonts.
bool is_latin_letter(char32_t character) {
    constexpr std::u32string_view kOthers = U"ÐÞðþ×÷";
    return character >= U'À' && character <= U'ÿ' && kOthers.find(character) == std::u32string_view::npos;
}

/// Any text as one line of LaTeX; what it has no letters for becomes "?".
std::string escaped(std::string_view text) {
    std::string out;
    for (const char32_t character : drawn_characters(text)) {
        const auto known = std::find_if(kCommands.begin(), kCommands.end(),
                                        [&](const auto& one) { return one.first == character; });
        if (known != kCommands.end()) {
            out += known->second;
        } else if (character < 0x7F || is_latin_letter(character)) {
            out += to_utf8(std::u32string(1, character));
        } else {
            out += '?';
        }
    }
    return out;
}

std::string number(std::optional<double> value, int decimals, bool is_best) {
    const std::string text = escaped(shown(value, decimals));
    return is_best ? "\\textbf{" + text + "}" : text;
}

constexpr std::string_view kPartialMark = "$^{\\ast}$";

std::string sign_of(Sign sign) {
    switch (sign) {
        case Sign::better:
            return "$^{\\dagger}$";
        case Sign::worse:
            return "$^{\\ddagger}$";
        case Sign::none:
            break;
    }
    return {};
}

std::string cell_text(const TableCell& cell, const TableColumn& column, TableLayout layout) {
    std::string text = number(cell.value, column.decimals, cell.is_best);
    if (layout == TableLayout::sources && cell.deviation)
        text += "$\\pm$" + number(cell.deviation, column.decimals, false);
    if (layout == TableLayout::splits && cell.second)
        text += "$\\rightarrow$" + number(cell.second, column.decimals, cell.second_is_best);
    text += sign_of(cell.sign);
    if (cell.is_partial) text += kPartialMark;
    if (const std::string printed = published_text(cell, column); !printed.empty())
        text += " {\\scriptsize(" + escaped(printed) + ")}";
    return text;
}

std::string line_of(const std::vector<std::string>& cells) {
    return fmt::format("{} \\\\\n", fmt::join(cells, " & "));
}

/// The models over their columns, each with a rule below.
std::string block_lines(const ReportTable& table) {
    const bool has_names = std::any_of(table.blocks.begin(), table.blocks.end(),
                                       [](const TableBlock& block) { return !block.name.empty(); });
    if (!has_names) return {};
    std::vector<std::string> cells{""};
    std::string rules;
    std::size_t column = 2;
    for (const TableBlock& block : table.blocks) {
        const std::size_t count = block.columns.size();
        if (count == 0) continue;
        cells.push_back(fmt::format("\\multicolumn{{{}}}{{c}}{{{}}}", count, escaped(block.name)));
        rules += fmt::format("\\cmidrule(lr){{{}-{}}}", column, column + count - 1);
        column += count;
    }
    return line_of(cells) + rules + "\n";
}

std::string caption(const Results& results, const ReportTable& table) {
    std::string text = "\\textbf{" + escaped(table.title) + ".}";
    const auto any_cell = [&](auto holds) {
        return std::any_of(table.rows.begin(), table.rows.end(), [&](const TableRow& row) {
            return std::any_of(row.cells.begin(), row.cells.end(), holds);
        });
    };
    if (any_cell([](const TableCell& cell) { return cell.sign != Sign::none; })) {
        text += fmt::format(
            " {} significantly better, {} significantly worse than {} (paired bootstrap, 95\\,\\%).",
            sign_of(Sign::better), sign_of(Sign::worse),
            escaped(method_name(results.suite, results.suite.baseline)));
    }
    if (any_cell([](const TableCell& cell) { return cell.is_partial; }))
        text += fmt::format(" {} over fewer prompts than the others.", kPartialMark);
    if (table.has_published && results.suite.published)
        text += fmt::format(" In parentheses: as printed in {}.", escaped(results.suite.published->source));
    return text;
}

/// LaTeX compares labels letter by letter, but does not take all of them.
std::string label(std::string_view id) {
    std::string out;
    for (const char c : id) {
        const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-';
        out += is_plain ? c : '-';
    }
    return out;
}

std::string table_text(const Results& results, const ReportTable& table) {
    const std::vector<const TableColumn*> columns = table.columns();
    // What has several models needs both columns of a page.
    const std::string_view environment = table.blocks.size() > 1 ? "table*" : "table";
    std::string out = fmt::format(
        "\\begin{{{}}}[t]\n\\centering\n\\caption{{{}}}\n\\label{{tab:{}}}\n\\begin{{tabular}}{{l{}}}"
        "\n\\toprule\n",
        environment, caption(results, table), label(table.id), std::string(columns.size(), 'c'));
    out += block_lines(table);
    std::vector<std::string> header{escaped(table.corner)};
    for (const TableColumn* column : columns)
        header.push_back(escaped(column->name) + escaped(arrow_of(*column)));
    out += line_of(header) + "\\midrule\n";
    for (const TableRow& row : table.rows) {
        if (row.after_rule) out += "\\midrule\n";
        std::vector<std::string> cells{escaped(row.name)};
        for (std::size_t i = 0; i < columns.size(); ++i)
            cells.push_back(cell_text(row.cells[i], *columns[i], table.layout));
        out += line_of(cells);
    }
    return out + fmt::format("\\bottomrule\n\\end{{tabular}}\n\\end{{{}}}\n", environment);
}

}  // namespace

std::string report_latex(const Results& results) {
    std::string out = "% Needs \\usepackage{booktabs}.\n";
    if (const std::string note = published_note(results); !note.empty()) out += "% " + escaped(note) + "\n";
    for (const ReportTable& table : report_tables(results)) out += "\n" + table_text(results, table);
    return out;
}

}  // namespace gass::eval
