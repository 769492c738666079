#pragma once

#include <gass/engine.h>
#include <gass/group.h>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace gass {

/// Whether a spread is as near to the wanted one as the search goes.
bool is_close(double reached, double wanted);

/// Throws usage for a spread that no set of so many images can have.
void check_reachable(const Target& target, std::int64_t images);

/// Looks for the strength whose spread is the wanted one, between 0, where it is `plain`, and 1. Returns how
/// many sets that took, plain's among them: 1 if the wanted spread is plain's or less, 8 at most.
std::size_t search_strength(double plain, double wanted, const std::function<double(double)>& spread_at);

/// Makes the group of a plan at the strength whose set comes closest to its target. Each strength that is
/// tried costs a whole set, a few in all. The group's `spread` says under "target" what was reached.
Group reach_target(const Engine& engine, const Plan& plan, const Events& events);

}  // namespace gass
