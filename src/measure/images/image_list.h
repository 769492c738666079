#pragma once

#include "core/json.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gass {

struct ListedImage {
    std::filesystem::path file;  ///< as written, or in the list's folder if that is relative
    std::string prompt;          ///< empty: none
};

/// A list of images as Hugging Face's imagefolder has it.
struct ImageList {
    std::vector<ListedImage> images;
    bool has_prompts = false;  ///< whether any image has one
};

/// Whether a file of that name is a list: .jsonl, .csv or .tsv. (.json may be one, see below.)
bool is_image_list_name(const std::filesystem::path& path);

/// Throws model_invalid for what is no such list, with the line. Whether the files exist is not looked at.
ImageList read_image_list(const std::filesystem::path& path);
/// The same from the array of a .json file.
ImageList image_list_of(const Json& json, const std::filesystem::path& path);

}  // namespace gass
