#pragma once

#include "eval/report/table.h"

namespace gass::eval {

// One for each layout; `table` names only what the suite has.

ReportTable methods_table(const Results& results, const SuiteTable& table);
ReportTable sources_table(const Results& results, const SuiteTable& table);
ReportTable splits_table(const Results& results, const SuiteTable& table);

}  // namespace gass::eval
