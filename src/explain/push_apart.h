#pragma once

#include "explain/geometry.h"

#include <optional>
#include <vector>

namespace gass::explain {

/// Centres for boxes of one size, as near to those wanted as a simple rule gets, so that no two overlap and
/// all lie within `bounds`. The same input gives the same places. Nothing if there is no room for them.
std::optional<std::vector<Point>> push_apart(const std::vector<Point>& wanted, double width, double height,
                                             const Area& bounds);

}  // namespace gass::explain
