#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace gass {

/// Whether a file of that name is a picture to look at, by its ending. Contact sheets and
/// previews of ours are none, and neither are hidden files, which other programs keep beside pictures.
bool is_picture_name(const std::filesystem::path& path);

/// The pictures in a folder and those below it, in the order of their names' bytes. Links to files are
/// followed, links to folders are not, so that there is an end; hidden folders and those that may not be read
/// are passed over. Stops after `most` + 1. Throws model_invalid if the folder itself cannot be read.
std::vector<std::filesystem::path> pictures_below(const std::filesystem::path& folder, std::size_t most);

}  // namespace gass
