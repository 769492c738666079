#pragma once

#include "server/http/message.h"

#include <gass/error.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gass::http {

/// Why a request is not served.
struct Refusal {
    int status = 400;
    std::string code;
    std::string where;
    std::string message;
};

/// Who may use a server, and from which pages.
class Access {
  public:
    struct Options {
        std::vector<std::string> keys;          ///< any of them will do; none: no key is asked for
        std::vector<std::string> hosts;         ///< names that the server is known by, besides localhost
        std::vector<std::string> cors_origins;  ///< pages that may use it: "https://example.com"
    };
    explicit Access(const Options& options);

    /// Whether the request is meant for this server, and comes from no foreign page: a name that somebody
    /// bends to this address (DNS rebinding), or a page that posts across, is refused.
    std::optional<Refusal> check_origin(const Request& request) const;
    /// Whether it brings a key.
    std::optional<Refusal> check_key(const Request& request) const;
    /// The origin to let in by CORS, if it is one that was named.
    std::optional<std::string> allowed_origin(const Request& request) const;
    /// What tells holders of different keys apart; empty where there are no keys.
    std::string owner(const Request& request) const;

  private:
    using Digest = std::array<std::uint8_t, 32>;
    static std::optional<std::string_view> key_in(const Request& request);

    std::vector<Digest> keys_;
    std::vector<std::string> hosts_;
    std::vector<std::string> cors_origins_;
};

}  // namespace gass::http
