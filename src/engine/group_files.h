#pragma once

#include "engine/record.h"

#include <filesystem>
#include <string>
#include <vector>

namespace gass {

/// The PNG of one image; without a record it carries no metadata.
std::vector<std::byte> group_png(const Group& group, const std::optional<Record>& record, std::size_t index);

/// Writes a group into a folder: 0000.png …, sheet.png and group.json. All of them or, on a full disk, none.
/// What an earlier group left there under these names is replaced, its surplus pictures removed. Returns what
/// was written to group.json.
Json write_group(const std::filesystem::path& folder, const Group& group, const Record& record,
                 bool metadata_in_images);

}  // namespace gass
