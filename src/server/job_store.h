#pragma once

#include "io/sqlite.h"
#include "server/job.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gass::server {

/// Which jobs a list has.
struct JobFilter {
    std::optional<JobState> state = {};
    std::string query = {};   ///< part of the prompt
    std::int64_t before = 0;  ///< numbers below this one; 0: from the newest on
    std::int64_t limit = 50;
};

/// The jobs on the disk: what is written here survives whatever ends the process. For one thread at a time.
class JobStore {
  public:
    /// Opens the file, or makes one. Throws model_invalid if it is none of ours.
    explicit JobStore(const std::filesystem::path& file);

    /// Adds a job and gives it its number.
    void add(Job& job);
    /// Writes what changes: state, moments, attempts, error and result.
    void update(const Job& job);
    void remove(const std::string& id);
    std::optional<Job> find(const std::string& id);
    /// The newest first, of this owner.
    std::vector<Job> list(const std::string& owner, const JobFilter& filter);
    /// All of one state, the oldest first.
    std::vector<Job> all_of(JobState state);
    /// Those that ended before that moment.
    std::vector<std::string> finished_before(std::int64_t milliseconds, std::int64_t most);

  private:
    Database database_;
};

}  // namespace gass::server
