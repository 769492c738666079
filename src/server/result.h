#pragma once

#include "core/json.h"

#include <filesystem>
#include <string>

namespace gass::server {

/// What a job's JSON says of its finished set: {"images", "spread", "cost", "command"}. `group` is its
/// group.json, `evaluations` those of the plan.
Json result_of(const Json& group, const std::string& id, std::int64_t evaluations);

/// group.json of a set that is there and whole; null if it is not.
Json finished_group(const std::filesystem::path& folder);

}  // namespace gass::server
