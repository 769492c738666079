#pragma once

#include "measure/images/found_group.h"

#include <filesystem>
#include <vector>

namespace gass {

/// Gives the images the prompts of a file, in place of any they had. Either every line is "file<TAB>prompt",
/// where the file is found by its path from the prompt file's folder or from the place that the user named,
/// or by its name alone if no other image has that; lines for other files are passed over. Or there is
/// exactly one line for each image, in their order. Blank lines do not count. Throws usage otherwise.
void give_prompts(std::vector<FoundGroup>& groups, const std::filesystem::path& file);

}  // namespace gass
