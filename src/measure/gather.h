#pragma once

#include "features/extract.h"
#include "measure/images/image_set.h"
#include "measure/measure_features.h"

#include <cstddef>
#include <string>
#include <vector>

namespace gass {

/// What a network makes of a set's pictures.
struct Gathered {
    std::vector<GroupFeatures> groups;  ///< the set's, without texts
    std::vector<UnreadableFile> unreadable;
    std::size_t from_cache = 0;
};

/// Has a network look at a set. Pictures that cannot be read leave the set, and so do groups without any;
/// what was found unreadable before is told with them, once.
Gathered gather_features(ImageSet& set, const FeatureSource& source, const ExtractOptions& options);

/// The prompts of a set's pictures, group by group.
std::vector<std::string> prompts_of(const ImageSet& set);

}  // namespace gass
