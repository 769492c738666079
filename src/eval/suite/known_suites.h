#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gass::eval {

/// A suite that comes with gass.
struct KnownSuite {
    std::string name;
    std::string title;
    std::string description;
    std::filesystem::path file;
};

/// The suites that come with gass, by name.
std::vector<KnownSuite> list_suites();

/// The file of a suite: the one that the user names, or one of ours of that name, with or without ".json".
/// Throws model_not_found with the names there are.
std::filesystem::path find_suite(std::string_view name);

}  // namespace gass::eval
