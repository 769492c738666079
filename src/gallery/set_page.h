#pragma once

#include <gass/group.h>

#include <string>
#include <vector>

namespace gass::gallery {

/// The page of a set, to lie beside its pictures: `files` are their names, in the group's order, and `record`
/// is the group's as they have it, with their format. It shows them, what is known of each and of the set,
/// and how to make it again. It needs no network.
std::string set_page(const Group& group, const Record& record, const std::vector<std::string>& files);

}  // namespace gass::gallery
