#pragma once

#include "server/jobs.h"
#include "server/models.h"
#include "server/numbers.h"

#include <gass/group.h>

#include <atomic>
#include <cstddef>
#include <thread>

namespace gass::server {

/// Makes the jobs' sets on one device, one at a time.
class Worker {
  public:
    /// Begins at once: with the default model, so that the first job does not wait for it.
    Worker(Jobs& jobs, Models& models, Numbers& numbers, std::size_t device, double job_seconds);
    ~Worker() { join(); }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// Whether the default model is loaded.
    bool is_ready() const { return is_ready_; }
    /// Whether it could not be: why, is in the log.
    bool has_failed() const { return has_failed_; }
    /// Puts back what runs, at its next step.
    void give_up() { is_giving_up_ = true; }
    /// Waits for what runs; nothing is taken any more once the jobs have stopped.
    void join();

  private:
    void run();
    void load_default();
    void make(LiveJob& live);
    Json made(LiveJob& live);
    Group generated(LiveJob& live, const std::string& saved, std::uint64_t weight_bytes);

    Jobs& jobs_;
    Models& models_;
    Numbers& numbers_;
    std::size_t device_;
    double job_seconds_;
    std::atomic<bool> is_ready_{false};
    std::atomic<bool> has_failed_{false};
    std::atomic<bool> is_giving_up_{false};
    std::thread thread_;
};

}  // namespace gass::server
