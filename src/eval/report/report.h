#pragma once

#include "eval/report/results.h"

#include <string>

// A report in every format. The same results give the same bytes: nothing here looks at a clock.
namespace gass::eval {

/// One self-contained page: tables, differences, ranks, plots, sample sheets, failures, provenance.
std::string report_html(const Results& results);
/// Tables, differences, ranks and failures, as GitHub shows them.
std::string report_markdown(const Results& results);
/// RFC 4180: model, method, metric, prompt index, class or prompt, value – one row for each.
std::string report_csv(const Results& results);
/// Everything, for programs.
Json report_json(const Results& results);
/// The tables alone in booktabs style, as the paper has them.
std::string report_latex(const Results& results);

}  // namespace gass::eval
