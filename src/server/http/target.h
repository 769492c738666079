#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gass::http {

/// The address of a request, taken apart and decoded.
struct Target {
    std::vector<std::string> path;
    std::map<std::string, std::string, std::less<>> query;
};

/// Reads "/a/b?c=d". None for what is no plain path of ours: one that holds control characters, bad escapes,
/// what is not UTF-8, or parts that could lead out of a folder ("..", an escaped slash).
std::optional<Target> parse_target(std::string_view text);

/// Text with %XX and, in a query, + decoded; none where an escape is wrong.
std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space);

/// The host of "name:80", "[::1]:80" or "name", in small letters; none for what is no host.
std::optional<std::string> host_of(std::string_view authority);
/// Whether a host is an address and no name: "127.0.0.1", "[::1]".
bool is_address(std::string_view host);

}  // namespace gass::http
