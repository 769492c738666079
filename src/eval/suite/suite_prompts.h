#pragma once

#include "eval/suite/suite.h"
#include "eval/suite/suite_document.h"

#include <cstddef>
#include <filesystem>
#include <vector>

namespace gass::eval {

/// The prompts of a suite, or of the file that the user gives in their place: each of them once, in their
/// order, as many as are wanted. `folder` is the suite's own.
std::vector<SuitePrompt> read_suite_prompts(SuiteObject& suite, const std::filesystem::path& folder,
                                            const SuiteOverrides& overrides);

}  // namespace gass::eval
