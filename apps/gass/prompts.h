#pragma once

#include "sets/make_sets.h"

#include <optional>
#include <string>
#include <vector>

namespace gass::cli {

/// One prompt from the command line, or those of a file, checked before anything is done with them. Says what
/// of them, and of what the images should not show, other programs would read in another way.
std::vector<ListedPrompt> read_prompts(const std::optional<std::string>& prompt,
                                       const std::string& prompt_file, const std::string& negative_prompt);

}  // namespace gass::cli
