#pragma once

#include "core/json.h"
#include "server/options.h"

#include <gass/request.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gass::server {

/// What a client asks for.
struct Wish {
    std::string model;  ///< empty: the default
    Request request = {};
    std::string client = {};
    bool previews = true;
    std::vector<std::string> methods = {};  ///< to compare
    Json given = Json::object();            ///< as it came, of what was understood
};

enum class WishKind { set, comparison };

/// Reads the body of a request. Throws usage, as the field, for what is wrong: types and ranges as the
/// settings table has them, no file of this machine, no more than the limits.
Wish read_wish(const Json& body, const RequestLimits& limits, WishKind kind = WishKind::set);

/// A JSON body; what is none is a mistake of whoever sent it. Throws usage.
Json parse_body(std::string_view body);

/// Checks what a model or a method made of a request that left it open, too.
void check_limits(const RequestLimits& limits, std::int64_t images, std::int64_t width, std::int64_t height,
                  std::int64_t steps);

}  // namespace gass::server
