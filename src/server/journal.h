#pragma once

#include "core/json.h"

#include <string_view>

namespace gass::server {

enum class Severity { debug, info, warn, error };

/// One line of JSON on stderr: when, how urgent, what, and these members. Whatever they hold cannot begin
/// another line. Nothing of a prompt goes here.
void journal(Severity severity, std::string_view event, const Json& members);

}  // namespace gass::server
