#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace gass::cli {

/// How a program that was started went.
struct ChildResult {
    int status = 0;                // as a shell counts: 128 and more is a signal
    double seconds = 0;            // from start to end
    std::uint64_t peak_bytes = 0;  // most memory that it, or a process it waited for, had at once
    std::string output;
    std::string errors;
};

/// Runs a program to its end, without standard input; what it writes is kept in `folder` meanwhile. Ctrl-C,
/// or another signal that asks to stop, ends it together with everything it started, and throws interrupted.
ChildResult run_child(std::vector<std::string> command, const std::filesystem::path& folder);

/// What a program, looked for on the PATH, writes to its standard output; nothing if it cannot be started.
std::string output_of(std::vector<std::string> command);

}  // namespace gass::cli
