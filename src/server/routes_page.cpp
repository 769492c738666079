#include "server/app.h"
#include "server/page_files.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace gass::server {
namespace {

constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src "
    "'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kTypes{{
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".mjs", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".json", "application/json"},
    {".ico", "image/x-icon"},
    {".webmanifest", "application/manifest+json"},
}};

std::string_view type_of(std::string_view path) {
    for (const auto& [ending, type] : kTypes) {
        if (path.ends_with(ending)) return type;
    }
    return "application/octet-stream";
}

void answer_with(const Call& call, const PageFile& file) {
    const std::string tag = fmt::format("\"{}\"", file.hash);
    http::Response response{.type = std::string(type_of(file.path))};
    response.headers = {{"Content-Security-Policy", std::string(kPolicy)},
                        {"Cache-Control", "no-cache"},
                        {"ETag", tag},
                        {"X-Frame-Options", "DENY"},
                        {"Cross-Origin-Opener-Policy", "same-origin"}};
    const std::string* known = call.request().header("if-none-match");
    if (known != nullptr && *known == tag)
        response.status = 304;
    else
        response.body = file.content;
    call.answer(std::move(response));
}

}  // namespace

/// Each file has a route of its own, so that an address finds nothing else.
void add_page_routes(Router& router) {
    for (const PageFile& file : page_files()) {
        const std::string pattern = file.path == "index.html" ? "/" : fmt::format("/assets/{}", file.path);
        router.add({.method = "GET",
                    .pattern = pattern,
                    .handler = [&file](const std::shared_ptr<Call>& call) { answer_with(*call, file); },
                    .is_open = true,
                    .is_quick = true});
    }
}

}  // namespace gass::server
