#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace gass::cli {

/// What may stand in place of the last of the words, which is being typed; the program's name is not among
/// them.
struct Completions {
    struct Candidate {
        std::string word;
        std::string help;  // one line; may be empty
    };
    std::vector<Candidate> candidates;
    bool files = false;  // file names fit as well
};

Completions complete(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace gass::cli
