#pragma once

#include "core/json.h"
#include "engine/engine.h"
#include "io/set_folder.h"

#include <gass/record.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gass {

/// The PNG of one image; without a record it carries no metadata.
std::vector<std::byte> group_png(const Group& group, const std::optional<Record>& record, std::size_t index);

/// Those of all images.
std::vector<std::vector<std::byte>> group_pngs(const Group& group, const std::optional<Record>& record);

/// What group.json says: the record, the images with their seeds, and how they were made.
Json group_json(const Group& group, const Record& record);

/// Throws usage if a group of so many images would overwrite what is not of an earlier one.
void check_group_folder(const std::filesystem::path& folder, std::size_t images);

/// Writes a group into a folder: 0000.png …, sheet.png and group.json. All of them or, on a full disk, none.
/// An earlier group there is replaced; its surplus pictures are removed if this one is complete. Returns what
/// was written to group.json.
Json write_group(const std::filesystem::path& folder, const Group& group, const Record& record,
                 bool metadata_in_images);

}  // namespace gass
