#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace gass::server {

/// What is counted, for Prometheus.
class Numbers {
  public:
    Numbers();
    ~Numbers();
    Numbers(const Numbers&) = delete;
    Numbers& operator=(const Numbers&) = delete;

    /// A request of a route, "POST /api/v1/jobs", has its answer.
    void answered(std::string_view route, int status, double seconds);
    /// A job is over.
    void ended(std::string_view state, double seconds);
    void made(const std::string& model, std::size_t images);
    void worked(const std::string& device, double seconds);

    /// How things stand now.
    struct Standing {
        std::size_t queued = 0;
        std::size_t running = 0;
        std::size_t models = 0;
        std::size_t connections = 0;
    };
    /// Everything as Prometheus reads it.
    std::string text(const Standing& standing);

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gass::server
