#pragma once

#include "eval/report/results.h"

#include <array>
#include <filesystem>

namespace gass::eval {

/// A report in every format, beside the store of its run.
inline constexpr std::array kReportFiles{"report.html", "report.md", "report.tex", "results.csv",
                                         "results.json"};

/// Throws usage if a file lies where a report would: in the folder of a run that is about to begin, it is
/// somebody else's.
void check_report_places(const std::filesystem::path& folder);

/// Throws usage if the report that lies there is of more groups than this one.
void check_report_is_no_emptier(const std::filesystem::path& folder, const Results& results);

/// Writes them into the folder of a run.
void write_report(const std::filesystem::path& folder, const Results& results);

}  // namespace gass::eval
