#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gass::cli {

struct Prompt {
    std::string text;
    std::string where;  // for complaints
};

/// One prompt from the command line, or those of a file, checked before anything is done with them.
std::vector<Prompt> read_prompts(const std::optional<std::string>& prompt, const std::string& prompt_file);

}  // namespace gass::cli
