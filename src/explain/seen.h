#pragma once

#include "explain/geometry.h"

#include <cmath>
#include <set>
#include <tuple>

namespace gass::explain {

/// Tells marks that would lie on one of the same kind: thousands of them make no larger file than their
/// picture needs.
class Seen {
  public:
    bool operator()(int kind, Point at) {
        constexpr double kCell = 1.5;
        return !cells_.emplace(kind, std::llround(at.x / kCell), std::llround(at.y / kCell)).second;
    }

  private:
    std::set<std::tuple<int, long long, long long>> cells_;
};

}  // namespace gass::explain
