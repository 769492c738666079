#pragma once

#include "eval/report/results.h"

#include <string>
#include <string_view>

namespace gass::eval {

/// What came of one --assert.
struct Assertion {
    std::string text;
    bool holds = false;
    std::string explanation;  ///< "sd21: 0.135 > 0.122"; why not, where a value is missing
};

/// "gass.spp > none.spp", "sd21/gass.vendi >= 1.2*sd21/none.vendi", "gass.clip_score > 0.3": means, of each
/// model where none is named. Throws usage for what cannot be read or is not in the suite.
void check_assertion(std::string_view text, const Suite& suite);
Assertion evaluate_assertion(std::string_view text, const Results& results);

}  // namespace gass::eval
