#pragma once

#include "eval/report/analysis.h"
#include "eval/report/results.h"
#include "eval/report/table.h"

#include <cstddef>
#include <string>
#include <vector>

// Sentences that the formats have in common, as plain text: whoever writes a format escapes them.
namespace gass::eval {

/// What was run, and how much of it is there.
std::string summary_paragraph(const Results& results);

/// Groups that are neither done nor failed.
std::size_t missing_groups(const Results& results);

/// Beside which models published numbers stand, and why not beside the others; empty if the suite's tables
/// have none.
std::string published_note(const Results& results);

/// That no difference is marked, where there are too few prompts for it; else empty.
std::string too_few_prompts(const Suite& suite);

/// How to read a table.
std::string reading_note(const Results& results, const ReportTable& table);

/// How intervals, differences, ranks and fronts are made.
std::vector<std::string> method_notes(const Results& results);

/// A difference has a decimal more than the values: its interval must not read as if it ended at 0.
inline constexpr int kMoreDecimals = 1;

/// "12.3 … 14.5"
std::string shown_interval(const Interval& interval, int decimals);
/// "+0.021", "−0.100", "0.000"
std::string shown_difference(double value, int decimals);
/// "+19 %"
std::string shown_ratio(double ratio);

/// What the paper has for a cell: "0.135", "0.303 ± 0.03", "8.301 → 8.535"; empty if nothing is shown.
std::string published_text(const TableCell& cell, const TableColumn& column);

inline constexpr int kRankDecimals = 2;
/// The metrics that methods have ranks for, by their places.
std::vector<std::size_t> ranked_metrics(const ModelAnalysis& analysis);

/// "ClipScore and VS: GASS, CADS": which methods nothing beats; empty if there are none to compare.
std::string front_line(const Suite& suite, const SuitePlot& plot, const std::vector<PlacedMethod>& methods);

/// The text of a prompt; nothing if there is no such prompt.
std::string prompt_text(const Suite& suite, std::size_t prompt);

}  // namespace gass::eval
