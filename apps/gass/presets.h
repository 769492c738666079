#pragma once

#include "core/json.h"

#include <filesystem>
#include <string>
#include <vector>

namespace gass::cli {

/// A file of settings, which may say in a line what it is for.
struct Preset {
    std::string name;
    std::string description;  ///< may be empty
    Json settings;
    std::filesystem::path file;
};

/// A mistake in the file is the user's, not a broken model's.
Preset read_preset(const std::filesystem::path& path);

/// A preset by name, from the ones that come with gass, or by path. Throws usage, as --preset, with the names
/// there are.
Preset find_preset(const std::string& name);

/// The presets that come with gass, in order.
std::vector<Preset> list_presets();

}  // namespace gass::cli
