#pragma once

#include <gass/image.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gass {

struct MeasuredImage {
    std::filesystem::path file;      ///< a list or group.json may name one that is missing
    std::string prompt;              ///< empty: none
    const Image* picture = nullptr;  ///< in memory; `file` is then only what it is called
};

/// Images that are measured together: those of one folder, one prompt, or one class.
struct ImageGroup {
    std::string name;  ///< fit to be shown, and no other group's
    std::vector<MeasuredImage> images;
};

struct ImageSet {
    std::vector<ImageGroup> groups;
    /// Files in the folders and patterns that are pictures only by their names. A TIFF is a loss that whoever
    /// measures wants to know of; a group.json or a table is none.
    std::vector<UnreadableFile> unreadable = {};

    std::size_t image_count() const;
};

inline constexpr std::size_t kMaxMeasuredImages = 5'000'000;

struct ImageSetRequest {
    /// What the user names:
    ///  - a picture; those of one folder are a group
    ///  - a pattern with * ? or [ ], whose pictures and folders count as if they were named
    ///  - a folder: the pictures in it are a group, and so are those of every folder below it; a set of ours
    ///    (with a group.json) is a group with its prompt; metadata.jsonl or metadata.csv gives prompts
    ///  - the group.json of a set
    ///  - a list: .jsonl, .json (an array), .csv or .tsv with a column file_name, file, path or image and
    ///    perhaps text, prompt or caption; paths are relative to the list
    /// A file that is named twice counts twice: that is what was asked for, and a list may want it.
    std::vector<std::string> places = {};
    /// In memory, and outlive the set: one group, in place of places.
    std::span<const Image> pictures = {};
    /// The flag or argument that the places came from; stands in front of complaints about them.
    std::string where = "images";
    /// Of every image, whatever files say; "{class}" in it is the last part of the group's name.
    std::optional<std::string> prompt = {};
    /// Lines "file<TAB>prompt", or a line for each image in their order; empty: none.
    std::string prompt_file = {};
    bool pooled = false;  ///< all images are one group; prompts stay with their images
};

/// The images to measure and their prompts. Images of one folder or list with different prompts are groups by
/// prompt; a set of ours, which was sampled together, stays one. Throws model_not_found for a place that does
/// not exist, model_invalid for a damaged list, and usage for places without pictures and for prompts that do
/// not fit the images. No picture is opened, nor is looked whether those of a list or group.json are there:
/// whoever reads one finds it missing, names it and goes on.
ImageSet find_images(const ImageSetRequest& request);

}  // namespace gass
