#pragma once

#include "core/json.h"

#include <gass/record.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gass {

/// As --config reads them; those that are missing are left out.
Json to_json(const RecordedSettings& settings);

/// Complains, with `where` in front, about what the settings table does not take, and about settings that no
/// record has.
RecordedSettings read_recorded_settings(const Json& json, std::string_view where);

/// Each setting with its key, as people read it.
std::vector<std::pair<std::string, std::string>> texts_of(const RecordedSettings& settings);

Json to_json(const Record& record);

/// Complains, with `where` in front, about what is not a record of ours.
Record read_record(const Json& json, std::string_view where);

}  // namespace gass
