#include "server/router.h"

#include "core/log.h"
#include "core/quote.h"
#include "core/text.h"
#include "server/journal.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace gass::server {
namespace {

bool fits(const std::vector<std::string>& pattern, const std::vector<std::string>& path,
          std::map<std::string, std::string, std::less<>>& parts) {
    if (pattern.size() != path.size()) return false;
    for (std::size_t i = 0; i < path.size(); ++i) {
        if (pattern[i].starts_with('{'))
            parts.insert_or_assign(pattern[i].substr(1, pattern[i].size() - 2), path[i]);
        else if (pattern[i] != path[i])
            return false;
    }
    return true;
}

}  // namespace

Router::Router(const http::Access& access, std::function<bool()> is_loading)
    : access_(access), is_loading_(std::move(is_loading)) {
}

void Router::add(Route route) {
    std::vector<std::string> pattern;
    if (route.pattern != "/") {
        for (const std::string_view part : split(std::string_view(route.pattern).substr(1), '/'))
            pattern.emplace_back(part);
    }
    patterns_.push_back(std::move(pattern));
    routes_.push_back(std::move(route));
}

Router::Match Router::match(const http::Request& request) const {
    Match match;
    const std::string_view method = request.method == "HEAD" ? "GET" : std::string_view(request.method);
    for (std::size_t i = 0; i < routes_.size(); ++i) {
        std::map<std::string, std::string, std::less<>> parts;
        if (!fits(patterns_[i], request.path, parts)) continue;
        if (routes_[i].method == method && match.route == nullptr) {
            match.route = &routes_[i];
            match.parts = std::move(parts);
        }
        match.is_open |= routes_[i].is_open;
        match.allowed.push_back(routes_[i].method);
    }
    return match;
}

Dialect Router::dialect_of(const http::Request& request) {
    // By the address as it came: what cannot be taken apart is answered in the right words, too.
    if (request.target.starts_with("/v1/")) return Dialect::openai;
    return request.target.starts_with("/sdapi/") ? Dialect::sdapi : Dialect::native;
}

std::optional<http::Refusal> Router::refusal(const http::Request& head, const Match& match) const {
    if (!match.is_open) {
        if (auto keyless = access_.check_key(head)) return keyless;
    }
    if (match.route == nullptr && match.allowed.empty())
        return http::Refusal{404, "not_found", "address",
                             "there is nothing here; /api/v1/openapi.json lists what there is"};
    if (match.route == nullptr)
        return http::Refusal{405, "method_not_allowed", "method",
                             fmt::format("expected {}", fmt::join(match.allowed, " or "))};
    if (match.route->needs_models && is_loading_())
        return http::Refusal{503, "loading", "server", "the model is being loaded; try again in a moment"};
    return std::nullopt;
}

/// What a browser asks before it lets a page of another origin use the API.
http::Response Router::preflight(const http::Request& head, const Match& match) const {
    const auto origin = access_.allowed_origin(head);
    http::Response response{.status = 204};
    response.headers.emplace_back("Allow", fmt::format("{}, OPTIONS", fmt::join(match.allowed, ", ")));
    if (origin) {
        response.headers.emplace_back("Access-Control-Allow-Methods",
                                      fmt::format("{}", fmt::join(match.allowed, ", ")));
        response.headers.emplace_back("Access-Control-Allow-Headers",
                                      "Authorization, Content-Type, Last-Event-ID, X-Api-Key, X-Request-Id");
        response.headers.emplace_back("Access-Control-Max-Age", "600");
    }
    add_common_headers(response, origin.value_or(""));
    return response;
}

http::Admission Router::admit(const http::Request& head) const {
    std::optional<http::Refusal> refused = access_.check_origin(head);
    const Match found = match(head);
    if (!refused && head.method == "OPTIONS" && !found.allowed.empty())
        return {.refusal = preflight(head, found)};
    if (!refused) refused = refusal(head, found);
    if (!refused) return {.body_bytes = found.route->body_bytes};
    http::Response response = refusal_response(*refused, dialect_of(head), head.id);
    if (refused->status == 405)
        response.headers.emplace_back("Allow", fmt::format("{}", fmt::join(found.allowed, ", ")));
    add_common_headers(response, access_.allowed_origin(head).value_or(""));
    return {.refusal = std::move(response)};
}

void Router::handle(const std::shared_ptr<http::Exchange>& exchange, http::Server& server) const {
    const http::Request& request = exchange->request();
    Match found = match(request);
    const auto call =
        std::make_shared<Call>(exchange, std::move(found.parts), dialect_of(request), access_.owner(request),
                               access_.allowed_origin(request).value_or(""));
    const auto work = [call, route = found.route] {
        try {
            route->handler(call);
        } catch (const Error& error) {
            call->refuse(error);
        } catch (const std::exception& error) {
            journal(Severity::error, "broken", {{"request_id", call->request().id}, {"error", error.what()}});
            call->refuse(
                http::Refusal{500, "failure", "server", "something broke; the server's log says what"});
        }
    };
    if (found.route->is_quick)
        work();
    else
        server.aside(work);
}

std::string Router::name_of(const http::Request& request) const {
    const Match found = match(request);
    return found.route == nullptr ? "other" : found.route->method + " " + found.route->pattern;
}

}  // namespace gass::server
