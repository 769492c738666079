#pragma once

#include "eval/report/assertion.h"
#include "eval/report/results.h"

#include <filesystem>
#include <string>
#include <vector>

namespace gass::cli {

/// Throws usage if a file lies where a report would: in the folder of a run that is about to begin, it is
/// somebody else's.
void check_report_places(const std::filesystem::path& folder);

/// Writes the report in every format into the folder of a run.
void write_report(const std::filesystem::path& folder, const eval::Results& results);

/// The tables as a terminal shows them, and where the rest is.
std::string report_summary(const std::filesystem::path& folder, const eval::Results& results);

/// What came of the checks, a line for each.
std::string checks_summary(const std::vector<eval::Assertion>& checks);

}  // namespace gass::cli
