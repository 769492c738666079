#pragma once

#include "command_line.h"

#include <string>
#include <vector>

namespace gass::cli {

// What needs LibTorch. Loading it takes a process 0.2 s, so the program `gass` does without: there these
// functions start `gass-engine`, the same program with LibTorch in it, with the same arguments.

struct ModelsOptions {
    std::vector<std::string> names;
    std::string variant;
    bool json = false;
};

/// Without names: all embedded models.
int verify_models(const CommandLine& line, const ModelsOptions& options);

}  // namespace gass::cli
