#pragma once

#include "measure/images/found_group.h"

#include <string>
#include <vector>

namespace gass {

/// The groups of everything that the user names, in that order; see ImageSetRequest::places. `where` stands
/// in front of complaints about them.
FoundGroups groups_at(const std::vector<std::string>& places, const std::string& where);

}  // namespace gass
