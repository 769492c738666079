#include "server/http/access.h"

#include "core/fail.h"
#include "core/quote.h"
#include "server/http/sha256.h"
#include "server/http/target.h"

#include <algorithm>

namespace gass::http {
namespace {

/// The host of an origin, "https://example.com:8080".
std::optional<std::string> host_of_origin(std::string_view origin) {
    const std::size_t at = origin.find("://");
    return at == origin.npos ? std::nullopt : host_of(origin.substr(at + 3));
}

std::string_view authority_of_origin(std::string_view origin) {
    const std::size_t at = origin.find("://");
    return at == origin.npos ? std::string_view() : origin.substr(at + 3);
}

}  // namespace

Access::Access(const Options& options) : cors_origins_(options.cors_origins) {
    for (const std::string& key : options.keys) keys_.push_back(sha256(key));
    for (const std::string& name : options.hosts) {
        const auto host = host_of(name);
        if (!host) fail(ErrorCode::usage, SettingKey("allow_host"), "{} is no host", in_quotes(name));
        hosts_.push_back(*host);
    }
    for (const std::string& origin : cors_origins_) {
        if (!host_of_origin(origin) || authority_of_origin(origin).find('/') != std::string_view::npos)
            fail(ErrorCode::usage, SettingKey("cors_origin"),
                 "expected an origin, https://example.com for instance; got {}", in_quotes(origin));
    }
}

std::optional<Refusal> Access::check_origin(const Request& request) const {
    const std::string* authority = request.header("host");
    if (authority == nullptr) return Refusal{400, "usage", "Host", "the header is missing"};
    const auto host = host_of(*authority);
    if (!host) return Refusal{400, "usage", "Host", "it names no host"};
    // No page can make a browser say an address or this machine's own name in place of the page's host.
    const bool is_known =
        is_address(*host) || *host == "localhost" || std::ranges::find(hosts_, *host) != hosts_.end();
    if (!is_known)
        return Refusal{403, "forbidden_host", "Host",
                       "this server is not known as " + in_quotes(*host) + "; --allow-host names it"};
    const std::string* origin = request.header("origin");
    if (origin == nullptr || allowed_origin(request)) return std::nullopt;
    if (authority_of_origin(*origin) == *authority) return std::nullopt;
    return Refusal{
        403, "forbidden_origin", "Origin",
        "pages of " + in_quotes(*origin) + " may not use this server; --cors-origin names those that may"};
}

std::optional<std::string_view> Access::key_in(const Request& request) {
    if (const std::string* key = request.header("x-api-key")) return *key;
    const std::string* authorization = request.header("authorization");
    constexpr std::string_view kBearer = "bearer ";
    if (authorization == nullptr || authorization->size() < kBearer.size()) return std::nullopt;
    for (std::size_t i = 0; i < kBearer.size(); ++i) {
        const char c = (*authorization)[i];
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != kBearer[i]) return std::nullopt;
    }
    return std::string_view(*authorization).substr(kBearer.size());
}

std::optional<Refusal> Access::check_key(const Request& request) const {
    if (keys_.empty()) return std::nullopt;
    const auto given = key_in(request);
    if (!given)
        return Refusal{401, "unauthorized", "Authorization", "a key is needed: Authorization: Bearer KEY"};
    const Digest digest = sha256(*given);
    bool is_known = false;
    for (const Digest& key : keys_) is_known |= is_same_digest(digest, key);
    if (is_known) return std::nullopt;
    return Refusal{401, "unauthorized", "Authorization", "the key is not one of this server's"};
}

std::optional<std::string> Access::allowed_origin(const Request& request) const {
    const std::string* origin = request.header("origin");
    if (origin == nullptr || std::ranges::find(cors_origins_, *origin) == cors_origins_.end())
        return std::nullopt;
    return *origin;
}

std::string Access::owner(const Request& request) const {
    if (keys_.empty()) return {};
    return short_sha256("gass job owner " + std::string(key_in(request).value_or("")));
}

}  // namespace gass::http
