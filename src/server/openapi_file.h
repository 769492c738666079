#pragma once

#include <string_view>

namespace gass::server {

/// docs/openapi.json, which is compiled in.
std::string_view openapi_file();

}  // namespace gass::server
