#pragma once

#include "server/http/message.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

// Boost.Beast behind our own interface: it is included by server.cpp alone, since it takes seconds to
// compile.
namespace gass::http {

struct Limits {
    std::size_t header_bytes = std::size_t{16} << 10U;
    std::size_t connections = 1000;
    double head_seconds = 15;   ///< for the head of a request
    double body_seconds = 60;   ///< for its body, and as long again for each MB
    double idle_seconds = 75;   ///< between two requests
    double write_seconds = 30;  ///< for a piece of an answer, and as long again for each MB
    double heartbeat_seconds = 15;
};

/// What is decided of a request before its body is read.
struct Admission {
    std::optional<Response> refusal = {};
    std::size_t body_bytes = 0;  ///< at most
};

/// What a server calls. All but `aside` work is called by its few threads, and must not wait.
struct Handlers {
    std::function<Admission(const Request& head)> admit;
    std::function<void(std::shared_ptr<Exchange>)> handle;
    /// A request that cannot be understood is answered with this.
    std::function<Response(const Request& request, int status, const std::string& message)> malformed;
    /// For logs and numbers, when a request has its answer; `status` 499 if the client went before.
    std::function<void(const Request& request, int status, std::uint64_t bytes, double seconds)> done;
};

/// An HTTP/1.1 server.
class Server {
  public:
    /// Listens. Throws device if the address is taken or is none of this machine's.
    Server(const std::string& address, std::uint16_t port, const Limits& limits, Handlers handlers,
           unsigned threads);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    std::uint16_t port() const;
    std::size_t connections() const;
    /// Answers from now on.
    void start();
    /// Does what takes time, on another thread.
    void aside(std::function<void()> work);
    /// Accepts nobody any more, and lets go of who asks for nothing.
    void stop_accepting();
    /// Waits for the answers that are being given, at most so long, and ends all threads.
    void stop(std::chrono::milliseconds patience);

    class Impl;

  private:
    std::shared_ptr<Impl> impl_;
};

}  // namespace gass::http
