#pragma once

#include "explain/group_story.h"

#include <string>
#include <vector>

namespace gass::explain {

/// The images of one step that did not move for one reason.
struct UnmovedGroup {
    std::string reason;
    std::vector<std::size_t> images;
};

/// By reason, in the order they come.
std::vector<UnmovedGroup> by_reason(const MoveStep& step);

/// "image 3 (seed 45)", "images 3 (seed 45), 4 (seed 46)"; of many only the first are named.
std::string named_images(const GroupStory& story, const std::vector<std::size_t>& images);

}  // namespace gass::explain
