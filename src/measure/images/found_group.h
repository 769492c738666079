#pragma once

#include "measure/images/image_set.h"

#include <filesystem>
#include <string>
#include <vector>

namespace gass {

/// Images that lie together, before the user's prompts are given out.
struct FoundGroup {
    std::string name;
    std::string full_name;          ///< for the case that another group has the same name
    std::filesystem::path folder;   ///< that the user named; paths in a prompt file may be relative to it
    bool sampled_together = false;  ///< a set of ours; stays one group even if its prompts differ
    std::vector<MeasuredImage> images;
};

struct FoundGroups {
    std::vector<FoundGroup> groups;
    std::vector<UnreadableFile> unreadable;  ///< files beside them that are pictures only by their names
};

}  // namespace gass
