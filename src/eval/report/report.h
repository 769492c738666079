#pragma once

#include "eval/report/results.h"

#include <string>
#include <string_view>
#include <vector>

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

/// What came of one --assert.
struct Assertion {
    std::string text;
    bool holds = false;
    std::string account;  ///< "sd21: 0.135 > 0.122"; why not, where a value is missing
};

/// "gass.spp > none.spp", "sd21/gass.vendi >= 1.2*sd21/none.vendi", "gass.clip_score > 0.3": means, of each
/// model where none is named. Throws usage for what cannot be read or is not in the suite.
void check_assertion(std::string_view text, const Suite& suite);
Assertion evaluate_assertion(std::string_view text, const Results& results);

}  // namespace gass::eval
