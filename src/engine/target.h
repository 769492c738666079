#pragma once

#include "engine/engine.h"

#include <string>
#include <string_view>

namespace gass {

/// A spread that a set should have, as the guide sees it: "spp=0.18", "pairwise=0.4", or "vendi=x1.3", so
/// many times that of plain guidance with the same seeds.
struct Target {
    std::string metric;
    double value = 0.0;
    bool relative = false;
};

/// Throws usage, as --target.
Target parse_target(std::string_view text);

/// Generates a request of `gass` at the strength whose set comes closest to the target. Each strength that is
/// tried costs a whole set, a few in all. The group's `spread` says under "target" what was reached;
/// `request` becomes the one that made it.
Group reach_target(const Engine& engine, Request& request, const Target& target, const Events& events);

}  // namespace gass
