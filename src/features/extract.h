#pragma once

#include "cache/optional_cache.h"
#include "catalog/preprocessing.h"

#include <gass/image.h>

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace gass {

/// A network as extraction sees it: what makes a row of numbers of a picture.
struct FeatureSource {
    std::string encoder;  ///< for the cache: whatever of the network decides the numbers
    Preprocessing preprocessing;
    std::int64_t dimension = 0;
    /// The pictures [B, 3, H, W] of these files → [B, dimension], fp32 on the CPU
    std::function<at::Tensor(const at::Tensor&, std::span<const std::size_t>)> encode;
    /// What goes into the network beside a file's picture, its prompt for instance; empty: nothing.
    std::function<std::string(std::size_t)> extra_input = {};
    bool on_gpu = false;   ///< pictures are then prepared while it computes
    bool is_wide = false;  ///< too much of a picture to be kept in a cache
};

struct ExtractOptions {
    std::int64_t batch = 32;
    OptionalCache& cache;
    std::function<void(std::size_t)> advance;  ///< so many pictures are done
    std::function<bool()> should_stop;         ///< throws interrupted if this says so
};

/// A picture to look at.
struct PictureInput {
    std::filesystem::path file;    ///< of one in memory: what it is called
    const Image* image = nullptr;  ///< in memory, and outlives the extraction
};

struct Extracted {
    at::Tensor features;  ///< [n, dimension], fp32 on the CPU: a row for each picture that could be read
    std::vector<std::size_t> files;  ///< which picture each row is of
    std::vector<UnreadableFile> unreadable;
    std::size_t from_cache = 0;
};

/// The features of pictures, in their order. Files that are no pictures, and damaged and missing ones, are
/// left out and named, and so is a picture that the network's preprocessing refuses. Pixels of files are
/// taken as they are stored: like the reference pipelines, it does not look at a picture's EXIF orientation.
Extracted extract_features(const std::vector<PictureInput>& pictures, const FeatureSource& source,
                           const ExtractOptions& options);

/// The features of pictures that are at hand, all at once and past the cache: [n, dimension], fp32 on the
/// CPU.
at::Tensor features_of(const std::vector<Image>& images, const FeatureSource& source);

}  // namespace gass
