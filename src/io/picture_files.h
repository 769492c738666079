#pragma once

#include <gass/image.h>

#include <cstddef>
#include <filesystem>
#include <vector>

namespace gass {

/// Whether a file of that name is a picture to look at, by its ending. Contact sheets and
/// previews of ours are none, and neither are hidden files, which other programs keep beside pictures.
bool is_picture_name(const std::filesystem::path& path);

/// Files that are pictures by their names.
struct FoundPictures {
    std::vector<std::filesystem::path> pictures;
    /// Those that are none to look at: of a format that we do not read, devices, links that lead nowhere; and
    /// folders that may not be read.
    std::vector<UnreadableFile> unreadable;

    /// Sorts a file that is not hidden in; passes it over if it is no picture by its name.
    void add(const std::filesystem::path& file);
};

/// The pictures in a folder and those below it, in the order of their names' bytes. Links to files are
/// followed, links to folders are not, so that there is an end; hidden folders are passed over. Stops after
/// `most` + 1. Throws model_invalid if the folder itself cannot be read.
FoundPictures pictures_below(const std::filesystem::path& folder, std::size_t most);

}  // namespace gass
