#pragma once

#include "pipelines/backbone.h"

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <vector>

namespace gass {

/// The pictures that a set is to stay away from: an image, or all pictures in a folder and those below it, in
/// order of their absolute paths. Contact sheets and previews of ours are no pictures. Throws usage, as
/// --shield, if there are none, or more than kMaxShield.
std::vector<std::string> shield_files(const std::string& path);

/// Their clean latents at a size, [K, C, h, w]: the middle of each picture, in the size's proportions. Throws
/// interrupted if `should_stop`, unless empty, says so.
at::Tensor shield_latents(const std::vector<std::string>& files, const Backbone& backbone, ImageSize size,
                          const std::function<bool()>& should_stop);

}  // namespace gass
