#pragma once

#include "eval/report/results.h"
#include "eval/report/statistics.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gass::eval {

/// Which way a difference to the baseline goes: none if its interval holds 0, or nobody can tell.
enum class Sign { none, worse, better };

Sign sign_for(const PairedDifference& difference, bool more_is_better);

struct TableCell {
    std::optional<double> value;
    std::optional<double> deviation;   ///< over prompts; shown where the layout has deviations
    std::optional<Interval> interval;  ///< of the value, 95 %; of splits none
    std::optional<double> second;      ///< of the layout `splits`: value → second
    bool is_best = false;  ///< of its column, as it is shown (of splits: value, if that is the better)
    bool second_is_best = false;
    Sign sign = Sign::none;              ///< against the baseline, by the paired bootstrap
    std::optional<Interval> difference;  ///< to the baseline, 95 %
    std::size_t prompts = 0;             ///< that the value is a mean over; 0: it is one of all images
    bool is_partial = false;             ///< others of its column are means over more prompts
    std::optional<double> published, published_deviation, published_second;
    std::string reason;  ///< why there is no value
};

struct TableColumn {
    std::string metric;  ///< id
    std::string name;
    int decimals = 3;
    bool more_is_better = true;
};

/// Columns under a common heading: those of a model.
struct TableBlock {
    std::string model;  ///< id
    std::string name;   ///< the heading; empty: none
    std::vector<TableColumn> columns;
};

struct TableRow {
    std::string id;
    std::string name;
    bool after_rule = false;       ///< a line is drawn above it
    std::vector<TableCell> cells;  ///< of all blocks, one after the other
};

/// A table of a report, ready to be written in any format.
struct ReportTable {
    std::string id;
    std::string title;
    TableLayout layout = TableLayout::methods;
    std::string method;  ///< id; of sources and splits, whose values these are
    std::string corner;  ///< heading of the first column: "Methods", "Img Source", "Prompt"
    std::vector<TableBlock> blocks;
    std::vector<TableRow> rows;
    bool has_published = false;

    /// Of all blocks, one after the other.
    std::vector<const TableColumn*> columns() const;
};

/// "↑" or "↓", as the paper has it behind the name.
std::string_view arrow_of(const TableColumn& column);

/// The suite's tables or, if it names none, one of all methods for all models and metrics.
std::vector<ReportTable> report_tables(const Results& results);

/// For each row which values are missing and why, and which are means over fewer prompts than others.
std::vector<std::string> missing_values(const ReportTable& table);

}  // namespace gass::eval
