#pragma once

#include "core/json.h"
#include "explain/group_story.h"

#include <string>

namespace gass::cli {

/// What a method did, in a few lines for people.
std::string explain_text(const explain::GroupStory& story);

/// The same for programs.
Json explain_json(const explain::GroupStory& story);

}  // namespace gass::cli
