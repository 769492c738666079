#pragma once

#include "eval/report/analysis.h"
#include "eval/report/results.h"
#include "eval/report/table.h"
#include "sheet/text_painter.h"

#include <cstddef>
#include <string>

// Parts of the page of a report.
namespace gass::eval {

/// "▲" or "▼", with words for those who cannot see it; a place of the same width if neither.
std::string sign_mark(Sign sign);

/// A table of the suite with the notes below it.
std::string table_section(const Results& results, const ReportTable& table);

/// What a model's scores say beyond their means: plots, differences, ranks.
std::string model_section(const Results& results, std::size_t model, const TextPainter& painter);

/// The methods in one of the suite's plots, with intervals and front; empty if there are none.
std::string front_plot(const Suite& suite, const SuitePlot& plot, const std::vector<PlacedMethod>& methods,
                       const TextPainter& painter);

}  // namespace gass::eval
