#pragma once

#include "engine/engine.h"

#include <functional>
#include <string>
#include <string_view>

namespace gass {

/// A spread that a set should have, as the guide sees it: "spp=0.18", "pairwise=0.4", or "vendi=x1.3", so
/// many times that of plain guidance with the same seeds.
struct Target {
    std::string metric;
    double value = 0.0;
    bool relative = false;
    bool seeds_are_listed = false;  ///< by the user: then they are all the candidates there are
};

/// Throws usage, as --target.
Target parse_target(std::string_view text);

/// Throws usage for a request that has no strength or no spread.
void check_target(const Request& request);

/// Whether a spread is as near to the wanted one as the search goes.
bool is_close(double reached, double wanted);

/// Looks for the strength whose spread is the wanted one, between 0, where it is `plain`, and 1. Returns how
/// many sets that took, plain's among them: 1 if the wanted spread is plain's or less, 8 at most.
std::size_t search_strength(double plain, double wanted, const std::function<double(double)>& spread_at);

/// Generates a request of `gass` at the strength whose set comes closest to the target. Each strength that is
/// tried costs a whole set, a few in all. The group's `spread` says under "target" what was reached;
/// `request` becomes the one that made it.
Group reach_target(const Engine& engine, Request& request, const Target& target, const Events& events);

}  // namespace gass
