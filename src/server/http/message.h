#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What goes over HTTP, without the library that brings it.
namespace gass::http {

struct Request {
    std::string method;             ///< "GET"
    std::string target;             ///< as it came: "/api/v1/jobs?limit=3"
    std::vector<std::string> path;  ///< its parts, decoded: "api", "v1", "jobs"
    std::map<std::string, std::string, std::less<>> query;
    std::map<std::string, std::string, std::less<>> headers;  ///< names in small letters
    std::string body;
    std::string peer;  ///< the address that it came from
    std::string id;    ///< that logs and errors name it by

    /// The value of a header by its name in small letters; null if there is none.
    const std::string* header(std::string_view name) const {
        const auto found = headers.find(name);
        return found == headers.end() ? nullptr : &found->second;
    }
    const std::string* parameter(std::string_view name) const {
        const auto found = query.find(name);
        return found == query.end() ? nullptr : &found->second;
    }
};

struct Response {
    int status = 200;
    std::string type = "application/json";
    std::string body = {};
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::optional<std::uint64_t> length = {};  ///< of a body that is streamed, if it is known
    std::string heartbeat = {};                ///< said in a stream that has been silent for a while
};

/// What a streamed body says next: a text, an empty one as long as there is nothing (`wake` then says when
/// there is), or none at the end.
using Source = std::function<std::optional<std::string>()>;

/// One request and its answer, which any thread may give, once.
class Exchange {
  public:
    virtual ~Exchange() = default;
    Exchange() = default;
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    virtual const Request& request() const = 0;
    virtual void answer(Response response) = 0;
    /// The source is asked whenever the client has taken what came before, so that a slow one holds nothing
    /// back but its own stream.
    virtual void stream(Response head, Source source) = 0;
    virtual void wake() = 0;
    /// Called once if the client goes away before it has its answer. Call before anything is answered.
    virtual void when_gone(std::function<void()> gone) = 0;
};

}  // namespace gass::http
