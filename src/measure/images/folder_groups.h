#pragma once

#include "core/json.h"
#include "measure/images/found_group.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace gass {

/// The groups in a folder: its own pictures and those of every folder below, with the prompts that sets of
/// ours and metadata files give them. None if it has no pictures; `most` is how many are looked at. What a
/// set of ours does not name is none of it, readable or not: that is only warned of.
FoundGroups groups_in_folder(const std::filesystem::path& folder, std::size_t most);

/// The group that a group.json of ours describes, with all of its pictures, whether or not they are still
/// there. Throws model_invalid if it is not ours.
FoundGroup recorded_group(const Json& json, const std::filesystem::path& path);

/// The name of a folder, whatever way the user wrote it ("." for instance), fit to be shown.
std::string folder_name(const std::filesystem::path& folder);

/// A path as the user wrote it, fit to be shown.
std::string shown_path(const std::filesystem::path& path);

/// The content of a group.json or another list of images in JSON.
Json read_measured_json(const std::filesystem::path& path);

}  // namespace gass
