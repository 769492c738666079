#pragma once

#include "compare/comparison.h"
#include "engine/output_folder.h"
#include "sets/make_sets.h"

#include <gass/engine.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace gass {

/// The same prompts and seeds under several methods.
struct CompareOrder {
    std::vector<ListedPrompt> prompts;
    Request request;                   ///< what they have in common
    std::vector<std::string> methods;  ///< with their parameters
    PictureOutput pictures = {};
};

/// A method as asked for, and what every prompt of it is made with.
struct ComparedRow {
    std::string asked;
    Request request;
    Plan plan;  ///< of the first prompt
};

/// The rows of a comparison, checked before anything is made. Throws usage.
std::vector<ComparedRow> rows_of(const Engine& engine, const CompareOrder& order);

/// What the files of a comparison beside its sets are called.
inline constexpr const char* kComparePage = "compare.html";
inline constexpr const char* kCompareJson = "compare.json";
inline constexpr const char* kCompareTable = "compare.csv";

/// Throws usage unless a folder is empty or holds an earlier comparison: anybody else's stays untouched.
void check_compare_folder(const std::filesystem::path& folder);

struct CompareEvents {
    /// How a set is watched; `label`: "3/12 gass".
    std::function<Events(const std::string& label)> watch;
    std::function<void()> ended;  ///< the set, made or not
    std::function<void(const ListedPrompt& prompt, const std::string& method, const Error& error)> failed;
    std::function<bool()> should_stop;
};

/// Makes the sets of a comparison as `gass generate` would, and writes a sheet for each prompt, and a page, a
/// table and JSON about all. Errors about one set are told and stand in the result; what was made when
/// another one is thrown is written. Stopped, it returns what was made; nothing is written if that is
/// nothing.
Comparison compare_methods(const Engine& engine, const CompareOrder& order,
                           const std::vector<ComparedRow>& rows, const OutputFolder& folder,
                           const CompareEvents& events);

/// Sets that failed.
std::size_t failures_of(const Comparison& comparison);

}  // namespace gass
