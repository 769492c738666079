#pragma once

#include "pipelines/backbone.h"

#include <gass/record.h>

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <vector>

namespace gass {

/// The pictures that a set is to stay away from: an image, or all pictures in a folder and those below it, in
/// order of their absolute paths. Contact sheets and previews of ours are no pictures. Throws usage, as
/// --shield, if there are none, or more than kMaxShield.
std::vector<std::string> shield_files(const std::string& path);

/// Of the files that a record names only pictures are opened: it may come from anywhere. Throws
/// model_not_found.
void check_recorded_pictures(const Record& record, std::string_view where);

/// The clean latents of pictures at a size, [K, C, h, w]: the middle of each picture, in the size's
/// proportions. Throws interrupted if `should_stop`, unless empty, says so.
at::Tensor picture_latents(const std::vector<std::string>& files, const Backbone& backbone, ImageSize size,
                           const std::function<bool()>& should_stop);

/// The picture that a set is to begin with, as records name it, with its hash. Throws usage if there is none,
/// and model_invalid if it is another one than the hash says.
StartImage checked_start_image(StartImage start);

}  // namespace gass
