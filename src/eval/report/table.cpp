#include "eval/report/table.h"

#include "core/wording.h"
#include "eval/report/table_layouts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace gass::eval {
namespace {

SuiteTable table_of_everything(const Suite& suite) {
    SuiteTable table;
    table.id = "all";
    table.title = "All methods";
    for (const SuiteModel& model : suite.models) table.models.push_back(model.id);
    for (const SuiteMethod& method : suite.methods) table.methods.push_back(method.id);
    for (const SuiteMetric& metric : suite.metrics) table.metrics.push_back(metric.id);
    return table;
}

ReportTable laid_out(const Results& results, const SuiteTable& table) {
    switch (table.layout) {
        case TableLayout::sources:
            return sources_table(results, table);
        case TableLayout::splits:
            return splits_table(results, table);
        case TableLayout::methods:
            break;
    }
    return methods_table(results, table);
}

/// What is to be said of some columns alike.
struct Remark {
    std::string text;
    std::vector<std::string> columns;
};

void remark(std::vector<Remark>& remarks, const TableColumn& column, const TableCell& cell) {
    std::string text;
    if (!cell.value) {
        text = "no value, " + cell.reason;
    } else if (cell.is_partial) {
        text =
            fmt::format("mean over {} only, not compared with the others", counted(cell.prompts, "prompt"));
    } else {
        return;
    }
    const auto same =
        std::find_if(remarks.begin(), remarks.end(), [&](const Remark& one) { return one.text == text; });
    if (same == remarks.end()) {
        remarks.push_back({std::move(text), {column.name}});
    } else {
        same->columns.push_back(column.name);
    }
}

}  // namespace

Sign sign_for(const PairedDifference& difference, bool more_is_better) {
    const int sign = difference.sign();
    if (sign == 0) return Sign::none;
    return (sign > 0) == more_is_better ? Sign::better : Sign::worse;
}

std::vector<const TableColumn*> ReportTable::columns() const {
    std::vector<const TableColumn*> result;
    for (const TableBlock& block : blocks) {
        for (const TableColumn& column : block.columns) result.push_back(&column);
    }
    return result;
}

std::string_view arrow_of(const TableColumn& column) {
    return column.more_is_better ? "↑" : "↓";
}

std::vector<ReportTable> report_tables(const Results& results) {
    std::vector<ReportTable> tables;
    for (const SuiteTable& table : results.suite.tables) tables.push_back(laid_out(results, table));
    if (tables.empty()) tables.push_back(laid_out(results, table_of_everything(results.suite)));
    return tables;
}

std::vector<std::string> missing_values(const ReportTable& table) {
    std::vector<std::string> lines;
    for (const TableRow& row : table.rows) {
        auto cell = row.cells.begin();
        for (const TableBlock& block : table.blocks) {
            const std::string who = block.name.empty() ? row.name : row.name + " on " + block.name;
            std::vector<Remark> remarks;
            for (const TableColumn& column : block.columns) remark(remarks, column, *cell++);
            for (const Remark& one : remarks)
                lines.push_back(fmt::format("{}: {} ({})", who, one.text, fmt::join(one.columns, ", ")));
        }
    }
    return lines;
}

}  // namespace gass::eval
