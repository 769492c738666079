#pragma once

#include "core/json.h"
#include "io/image.h"

#include <gass/record.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gass {

/// A picture of a set, as its file tells.
struct RecordedPictureFile {
    std::filesystem::path file;
    Record record;
    std::size_t index = 0;  ///< in its set
    std::string prompt;     ///< its own, where the set's has choices
    Image image;
};

/// Throws model_invalid for a picture that carries no record of one, be it a sheet or made elsewhere.
RecordedPictureFile read_picture_record(const std::filesystem::path& file);

/// Whether a picture says that gass made it.
bool carries_record(const std::filesystem::path& file);

/// The record in whatever belongs to a set: a picture or the sheet, group.json, or the folder that they lie
/// in. Settles first what a killed process may have left there.
Record read_set_record(const std::filesystem::path& place);

/// group.json of a set that any of these belongs to.
std::filesystem::path group_file_of(const std::filesystem::path& place);

/// The pictures of a set in a folder, in order. Throws model_invalid if it has none that are ours.
std::vector<std::filesystem::path> recorded_pictures(const std::filesystem::path& folder);

}  // namespace gass
