#pragma once

#include "eval/suite/suite.h"
#include "eval/suite/suite_document.h"

#include <filesystem>

namespace gass::eval {

/// The prompts of a suite, or of the file that the user gives in their place: each of them once, in their
/// order, as many as are wanted, and the further ones. `folder` is the suite's own.
void read_suite_prompts(SuiteObject& object, const std::filesystem::path& folder,
                        const SuiteOverrides& overrides, Suite& suite);

}  // namespace gass::eval
