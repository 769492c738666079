#include "server/call.h"

#include "core/fail.h"
#include "core/quote.h"
#include "server/jobs.h"

#include <utility>

namespace gass::server {
namespace {

constexpr std::size_t kPiece = std::size_t{64} << 10U;

/// OpenAI's kinds of errors.
std::string_view openai_type(int status) {
    if (status == 401 || status == 403) return "authentication_error";
    if (status == 429) return "rate_limit_error";
    return status >= 500 ? "server_error" : "invalid_request_error";
}

}  // namespace

void add_common_headers(http::Response& response, std::string_view cors_origin) {
    response.headers.emplace_back("X-Content-Type-Options", "nosniff");
    response.headers.emplace_back("Referrer-Policy", "no-referrer");
    bool is_cached = false;
    for (const auto& [name, value] : response.headers) is_cached |= name == "Cache-Control";
    if (!is_cached) response.headers.emplace_back("Cache-Control", "no-store");
    if (cors_origin.empty()) {
        response.headers.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
        return;
    }
    response.headers.emplace_back("Access-Control-Allow-Origin", cors_origin);
    response.headers.emplace_back("Access-Control-Expose-Headers", "Location, Retry-After, X-Request-Id");
    response.headers.emplace_back("Vary", "Origin");
}

http::Refusal refusal_of(const Error& error) {
    if (dynamic_cast<const Busy*>(&error) != nullptr)
        return {429, "queue_full", error.where(), error.message()};
    if (dynamic_cast<const Stopping*>(&error) != nullptr)
        return {503, "stopping", error.where(), error.message()};
    return {http_status(error.code()), std::string(to_string(error.code())), error.where(), error.message()};
}

http::Response refusal_response(const http::Refusal& refusal, Dialect dialect, std::string_view request_id) {
    http::Response response{.status = refusal.status};
    Json json;
    switch (dialect) {
        case Dialect::native:
            json = {{"error",
                     {{"code", refusal.code},
                      {"where", refusal.where},
                      {"message", refusal.message},
                      {"request_id", request_id}}}};
            break;
        case Dialect::openai:
            json = {{"error",
                     {{"message", fmt::format("[{}] {}", refusal.where, refusal.message)},
                      {"type", openai_type(refusal.status)},
                      {"code", refusal.code},
                      {"param", refusal.where}}}};
            // Its clients try again by themselves after some errors, and would make a set three times that
            // fails.
            response.headers.emplace_back("x-should-retry", "false");
            break;
        case Dialect::sdapi:
            json = {{"error", refusal.code},
                    {"detail", fmt::format("[{}] {}", refusal.where, refusal.message)},
                    {"body", ""},
                    {"errors", refusal.message}};
            break;
    }
    response.body = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (refusal.status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
    if (refusal.status == 429 || refusal.status == 503) response.headers.emplace_back("Retry-After", "2");
    return response;
}

void Call::answer(http::Response response) const {
    add_common_headers(response, cors_origin_);
    exchange_->answer(std::move(response));
}

void Call::json(int status, const Json& json) const {
    answer({.status = status, .body = json.dump(-1, ' ', false, Json::error_handler_t::replace)});
}

void Call::stream(http::Response head, http::Source source) const {
    add_common_headers(head, cors_origin_);
    exchange_->stream(std::move(head), std::move(source));
}

void Call::file(const std::filesystem::path& path, std::string_view type) const {
    send(std::make_shared<std::ifstream>(path, std::ios::binary), {.type = std::string(type)});
}

void Call::made_file(const std::filesystem::path& path, std::string_view type,
                     std::string_view download_name) const {
    auto file = std::make_shared<std::ifstream>(path, std::ios::binary);
    std::error_code ignored;
    std::filesystem::remove(path, ignored);  // it is open, and goes when it is sent
    http::Response head{.type = std::string(type)};
    head.headers.emplace_back("Content-Disposition",
                              fmt::format("attachment; filename=\"{}\"", download_name));
    send(std::move(file), std::move(head));
}

void Call::send(std::shared_ptr<std::ifstream> file, http::Response head) const {
    if (!*file) return not_found("address", "file");
    file->seekg(0, std::ios::end);
    const auto length = static_cast<std::uint64_t>(file->tellg());
    file->seekg(0);
    head.length = length;
    stream(std::move(head), [file, left = length]() mutable -> std::optional<std::string> {
        if (left == 0) return std::nullopt;
        std::string piece(std::min<std::uint64_t>(left, kPiece), '\0');
        if (!file->read(piece.data(), static_cast<std::streamsize>(piece.size())))
            fail(ErrorCode::io, "file", "it ended early");
        left -= piece.size();
        return piece;
    });
}

void Call::refuse(const Error& error) const {
    refuse(refusal_of(error));
}

void Call::refuse(const http::Refusal& refusal) const {
    answer(refusal_response(refusal, dialect_, request().id));
}

void Call::not_found(std::string_view where, std::string_view what) const {
    refuse(http::Refusal{404, "not_found", std::string(where), fmt::format("there is no such {}", what)});
}

}  // namespace gass::server
