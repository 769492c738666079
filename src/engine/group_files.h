#pragma once

#include "core/json.h"
#include "io/picture_format.h"
#include "io/set_folder.h"

#include <gass/group.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace gass {

/// The file of one image.
EncodedPicture group_picture(const Group& group, std::size_t index, const PictureOutput& output);

/// Those of all images.
std::vector<EncodedPicture> group_pictures(const Group& group, const PictureOutput& output);

/// What group.json says: the record, the images with their seeds, and how they were made.
Json group_json(const Group& group, const PictureOutput& output);

/// Throws usage if a group of so many images would overwrite what is not of an earlier one.
void check_group_folder(const std::filesystem::path& folder, std::size_t images, const PictureFormat& format);

/// Writes a group into a folder: 0000.png …, sheet.png, index.html and group.json. All of them or, on a full
/// disk, none. An earlier group there is replaced, whatever its format; its surplus pictures are removed if
/// this one is complete. What the format has no room for is left out of the pictures, with a warning. Returns
/// what was written to group.json.
Json write_group(const std::filesystem::path& folder, const Group& group, const PictureOutput& output);

}  // namespace gass
