#pragma once

#include <gass/engine.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gass::server {

/// The most that one request may ask for.
struct RequestLimits {
    std::int64_t images = 64;
    std::int64_t side = 2048;  ///< of an image, in pixels
    std::int64_t steps = 200;
    std::int64_t compared = 16;  ///< methods beside each other
    std::size_t body_bytes = std::size_t{1} << 20U;
    std::size_t upload_bytes = std::size_t{64} << 20U;
    std::size_t uploads = 256;
    std::uint64_t upload_pixels = std::uint64_t{64} << 20U;  ///< of all pictures of a request
};

/// What a server is to be.
struct ServeOptions {
    std::string host = "127.0.0.1";
    std::uint16_t port = 7860;
    std::vector<std::string> models = {};  ///< the first is the default; empty: all that are here
    std::vector<std::string> devices = {};
    EngineOptions engine = {};  ///< but for model and device
    std::string output = "gass-serve";
    std::vector<std::string> keys = {};
    bool no_key = false;  ///< on purpose, though others can reach it
    std::vector<std::string> hosts = {};
    std::vector<std::string> cors_origins = {};
    double keep_seconds = 7 * 86400;
    double job_seconds = 3600;  ///< before a set is given up
    double grace_seconds = 30;  ///< for what runs when the server is to stop
    std::size_t queue = 256;
    std::size_t connections = 1000;
    RequestLimits limits = {};
};

/// Serves until SIGTERM or SIGINT; throws gass::Error if it cannot begin. Returns the exit status.
int serve(const ServeOptions& options);

}  // namespace gass::server
