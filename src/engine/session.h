#pragma once

#include "engine/plan_parts.h"

#include <gass/group.h>

#include <string_view>

namespace gass {

/// Makes the group of a plan. Safe to call from any number of threads with the same model: what changes is
/// the call's own, and the calls take turns on the device. Throws interrupted if it is stopped before an
/// image is decoded.
Group make_group(const LoadedModel& model, const PlanParts& plan, const Events& events);

/// The spread of a group that was made to be measured, with all its numbers. Throws interrupted if the group
/// is not whole, and failure if the guide could not see it.
const Spread& measured_spread(const Group& group, std::string_view where);

}  // namespace gass
