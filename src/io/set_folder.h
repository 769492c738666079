#pragma once

#include "io/picture_format.h"

#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace gass {

// What the folder of a set of ours holds.
inline constexpr const char* kGroupFile = "group.json";
inline constexpr const char* kSheetFile = "sheet.png";
inline constexpr const char* kPageFile = "index.html";
// What the set looks like while it is made; goes when that ends.
inline constexpr const char* kPreviewFile = "preview.png";
/// "0003.png"
std::string picture_name(std::size_t index, const PictureFormat& format);

/// Writes a preview, over an earlier one of ours.
void write_preview(const std::filesystem::path& path, const Image& sheet);
/// Throws usage, as the setting or flag `where`, if something lies there that is no preview of ours.
void check_preview_place(const std::filesystem::path& path, std::string_view where);
/// Removes a preview of ours, if one is there.
void remove_preview(const std::filesystem::path& path);

/// The pictures, of whatever format, that the folder's group.json names, if there is one and it is ours.
std::set<std::string> pictures_of_set(const std::filesystem::path& folder);

/// Throws usage if files would lie where one lies that is not of an earlier set of ours: nobody's pictures
/// are overwritten.
void check_set_places(const std::filesystem::path& folder, std::span<const std::string> files);

}  // namespace gass
