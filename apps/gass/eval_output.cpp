#include "eval_output.h"

#include "core/fail.h"
#include "eval/table.h"
#include "io/file.h"
#include "output.h"
#include "page/shown.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace gass::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array kReportFiles{"report.html", "report.md", "report.tex", "results.csv", "results.json"};

/// "0.123", with the second value of a split, a deviation where the layout has one, and a mark where the
/// difference to the baseline is beyond chance.
std::string cell_text(const eval::TableCell& cell, const eval::TableColumn& column,
                      eval::TableLayout layout) {
    std::string text = page::shown(cell.value, column.decimals);
    if (layout == eval::TableLayout::splits) return text + " → " + page::shown(cell.second, column.decimals);
    if (layout == eval::TableLayout::sources && cell.deviation)
        return text + " ± " + page::shown(cell.deviation, column.decimals);
    if (cell.sign != eval::Sign::none) text += cell.sign == eval::Sign::better ? " +" : " -";
    return text;
}

std::string table_text(const eval::ReportTable& table) {
    std::string text = table.title + "\n";
    // One below the other: models side by side would be too wide for most terminals.
    std::size_t first = 0;
    for (const eval::TableBlock& block : table.blocks) {
        std::vector<std::string> header{block.name.empty() ? table.corner : block.name};
        for (const eval::TableColumn& column : block.columns) header.push_back(column.name);
        Table lines(std::move(header));
        for (const eval::TableRow& row : table.rows) {
            std::vector<std::string> line{row.name};
            for (std::size_t c = 0; c < block.columns.size(); ++c)
                line.push_back(cell_text(row.cells[first + c], block.columns[c], table.layout));
            lines.add(std::move(line));
        }
        text += fmt::format("\n{}", lines.text());
        first += block.columns.size();
    }
    return text;
}

}  // namespace

void check_report_places(const fs::path& folder) {
    for (const char* name : kReportFiles) {
        std::error_code error;
        if (fs::exists(fs::symlink_status(folder / name, error)))
            fail(ErrorCode::usage, "--output",
                 "{} is there already, and of no run that gass made; choose another folder",
                 (folder / name).string());
    }
}

void write_report(const fs::path& folder, const eval::Results& results) {
    const std::array texts{eval::report_html(results), eval::report_markdown(results),
                           eval::report_latex(results), eval::report_csv(results),
                           shown(eval::report_json(results))};
    for (std::size_t i = 0; i < kReportFiles.size(); ++i) write_text_file(folder / kReportFiles[i], texts[i]);
}

std::string report_summary(const fs::path& folder, const eval::Results& results) {
    std::string text;
    for (const eval::ReportTable& table : eval::report_tables(results)) text += table_text(table) + "\n";
    text +=
        "+ and - : better and worse than the baseline, with 95 % confidence (paired bootstrap over "
        "prompts)\n";
    const std::size_t failed = results.failures.size();
    text += fmt::format("{} of {} groups made{}\n", results.done, results.planned,
                        failed == 0 ? "" : fmt::format(", {} failed; --resume tries them again", failed));
    return text + fmt::format("{}: {}\n", folder.string(), fmt::join(kReportFiles, ", "));
}

std::string checks_summary(const std::vector<eval::Assertion>& checks) {
    std::string text;
    for (const eval::Assertion& check : checks)
        text += fmt::format("{}  {}  ({})\n", check.holds ? "holds" : "FAILS", check.text, check.account);
    return text;
}

}  // namespace gass::cli
