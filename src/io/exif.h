#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gass {

struct ExifContent {
    unsigned orientation = 1;  ///< 1 to 8; 1 if absent or senseless
    std::string user_comment;  ///< UTF-8; empty if absent or in an encoding that we do not know
};

/// Reads an EXIF block, with or without the "Exif\0\0" in front that JPEG has and PNG has not. Never throws
/// for bad content: a damaged block counts as absent, as in every viewer.
ExifContent parse_exif(std::span<const std::byte> bytes);

/// Whether a block with that comment is no longer than JPEG allows, the 64 KiB that readers look at.
bool fits_exif(std::string_view user_comment);

/// An EXIF block with "Exif\0\0" in front that holds one UserComment as A1111 and piexif write it:
/// big-endian, the prefix "UNICODE\0", then UTF-16.
std::vector<std::byte> make_exif(std::string_view user_comment);

}  // namespace gass
