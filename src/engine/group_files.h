#pragma once

#include "core/json.h"
#include "io/set_folder.h"

#include <gass/group.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace gass {

/// The PNG of one image, with or without what made it.
std::vector<std::byte> group_png(const Group& group, std::size_t index, bool with_metadata);

/// Those of all images.
std::vector<std::vector<std::byte>> group_pngs(const Group& group, bool with_metadata);

/// What group.json says: the record, the images with their seeds, and how they were made.
Json group_json(const Group& group);

/// Throws usage if a group of so many images would overwrite what is not of an earlier one.
void check_group_folder(const std::filesystem::path& folder, std::size_t images);

/// Writes a group into a folder: 0000.png …, sheet.png and group.json. All of them or, on a full disk, none.
/// An earlier group there is replaced; its surplus pictures are removed if this one is complete. Returns what
/// was written to group.json.
Json write_group(const std::filesystem::path& folder, const Group& group, bool with_metadata);

}  // namespace gass
