#pragma once

#include "eval/suite/suite.h"

namespace gass::eval {

/// Puts models where the user has them, and leaves out what he does not want to run: models, methods, and
/// whatever of tables then has nothing to show. Throws usage for ids that the suite does not have.
void apply_overrides(const SuiteOverrides& overrides, Suite& suite);

}  // namespace gass::eval
