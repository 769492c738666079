#pragma once

#include "core/json.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gass::server {

enum class JobState { queued, running, completed, failed, cancelled };
std::string_view to_string(JobState state) noexcept;
std::optional<JobState> job_state(std::string_view name);
inline bool is_final(JobState state) {
    return state != JobState::queued && state != JobState::running;
}

/// A set that somebody asked for, as it is kept. Moments are milliseconds since 1970; 0: not yet.
struct Job {
    std::string id = {};          ///< 26 letters and digits that nobody guesses
    std::int64_t number = 0;      ///< in the order in which they came
    std::string owner = {};       ///< whose it is, where there are keys
    std::string client = {};      ///< whose turn it takes in the queue
    std::string request_id = {};  ///< of the request that brought it
    std::string model = {};
    std::string prompt = {};
    JobState state = JobState::queued;
    std::int64_t created = 0;
    std::int64_t started = 0;
    std::int64_t finished = 0;
    std::int64_t attempts = 0;  ///< to make it: more than one if the server was ended meanwhile
    bool attached = false;      ///< to a request that waits for it, and is of no use without
    bool previews = true;
    Json request = Json::object();  ///< as it was given
    Json plan = nullptr;            ///< as Engine::save has it: seeds and all
    Json error = nullptr;
    Json result = nullptr;  ///< {"images", "spread", "cost", "command"}
};

/// How far a job is.
struct JobProgress {
    std::string phase = "queued";
    std::int64_t step = 0;
    std::int64_t steps = 0;
    std::optional<double> seconds_left = {};
};
Json to_json(const JobProgress& progress);

/// What the API says of a job. `position` in the queue, from 1 on, and progress: as far as it has any.
Json to_json(const Job& job, std::optional<std::int64_t> position,
             const std::optional<JobProgress>& progress);

/// A plan's settings beside each other, with its seed.
Json plan_json(const Json& saved);

/// "2026-11-19T21:16:34.120Z"; null for 0.
Json moment_json(std::int64_t milliseconds);
std::int64_t now_in_milliseconds();
/// 26 letters and digits, from the system's random numbers.
std::string new_job_id();

}  // namespace gass::server
