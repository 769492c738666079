#pragma once

#include "server/call.h"
#include "server/http/access.h"
#include "server/http/server.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gass::server {

using CallHandler = std::function<void(const std::shared_ptr<Call>&)>;

/// What is done with one kind of request.
struct Route {
    std::string method;   ///< "POST"
    std::string pattern;  ///< "/api/v1/jobs/{id}/cancel"
    CallHandler handler;
    std::size_t body_bytes = 0;  ///< at most
    bool is_open = false;        ///< without a key
    bool is_quick = false;       ///< takes no time worth another thread
    bool needs_models = false;   ///< 503 while they are being loaded
};

/// Finds the route of a request, once it is known that it may take it.
class Router {
  public:
    Router(const http::Access& access, std::function<bool()> is_loading);

    void add(Route route);

    http::Admission admit(const http::Request& head) const;
    void handle(const std::shared_ptr<http::Exchange>& exchange, http::Server& server) const;
    /// For numbers: "GET /api/v1/jobs/{id}", "other" for what has no route.
    std::string name_of(const http::Request& request) const;
    static Dialect dialect_of(const http::Request& request);

  private:
    struct Match {
        const Route* route = nullptr;
        std::map<std::string, std::string, std::less<>> parts;
        bool is_open = false;
        std::vector<std::string> allowed;  ///< methods of other routes with this address
    };
    Match match(const http::Request& request) const;
    std::optional<http::Refusal> refusal(const http::Request& head, const Match& match) const;
    http::Response preflight(const http::Request& head, const Match& match) const;

    const http::Access& access_;
    std::function<bool()> is_loading_;
    std::vector<Route> routes_;
    std::vector<std::vector<std::string>> patterns_;  // of each, in parts
};

}  // namespace gass::server
