#pragma once

#include "pipelines/backbone.h"

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <vector>

namespace gass {

/// The pictures that a set is to stay away from: an image, or all PNG and JPEG files in a folder and those
/// below it, in order of their paths. Contact sheets and previews of ours are no pictures. Throws usage, as
/// --shield, if there are none, or too many to compare with at every step.
std::vector<std::filesystem::path> shield_files(const std::string& path);

/// Their clean latents at a size, [K, C, h, w]: the middle of each picture, in the size's proportions.
at::Tensor shield_latents(const std::vector<std::filesystem::path>& files, const Backbone& backbone,
                          ImageSize size);

}  // namespace gass
