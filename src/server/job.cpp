#include "server/job.h"

#include "core/fail.h"

#include <sys/random.h>

#include <array>
#include <cmath>
#include <ctime>
#include <utility>

namespace gass::server {
namespace {

constexpr std::array<std::string_view, 5> kStates{"queued", "running", "completed", "failed", "cancelled"};
// Of 32 signs, so that each takes five bits; those that look alike are left out.
constexpr std::string_view kSigns = "abcdefghijkmnpqrstuvwxyz23456789";
constexpr std::size_t kIdLength = 26;

}  // namespace

std::string_view to_string(JobState state) noexcept {
    return kStates[static_cast<std::size_t>(state)];
}

std::optional<JobState> job_state(std::string_view name) {
    for (std::size_t i = 0; i < kStates.size(); ++i) {
        if (kStates[i] == name) return static_cast<JobState>(i);
    }
    return std::nullopt;
}

Json to_json(const JobProgress& progress) {
    Json json{{"step", progress.step}, {"steps", progress.steps}};
    json["eta_s"] = progress.seconds_left ? Json(std::round(*progress.seconds_left * 100) / 100) : Json();
    json["phase"] = progress.phase;
    return json;
}

Json plan_json(const Json& saved) {
    if (!saved.is_object()) return nullptr;
    Json plan{{"prompt", saved.value("prompt", "")}};
    if (const auto settings = saved.find("settings"); settings != saved.end()) plan.update(*settings);
    for (const char* key : {"threads", "device", "dtype", "max_batch"}) plan.erase(key);
    if (const auto seeds = saved.find("seeds"); seeds != saved.end() && !seeds->empty()) {
        plan["seed"] = seeds->front();
        plan["seeds"] = *seeds;
    }
    return plan;
}

Json to_json(const Job& job, std::optional<std::int64_t> position,
             const std::optional<JobProgress>& progress) {
    Json json{{"id", job.id}, {"state", to_string(job.state)}};
    json["created"] = moment_json(job.created);
    json["started"] = moment_json(job.started);
    json["finished"] = moment_json(job.finished);
    json["position"] = position ? Json(*position) : Json();
    json["request"] = job.request;
    json["plan"] = plan_json(job.plan);
    json["progress"] = progress ? to_json(*progress) : Json();
    json["error"] = job.error;
    const bool has_result = job.result.is_object();
    json["images"] = has_result ? job.result.at("images") : Json::array();
    json["spread"] = has_result ? job.result.at("spread") : Json();
    json["cost"] = has_result ? job.result.at("cost") : Json();
    json["command"] = has_result ? job.result.at("command") : Json();
    return json;
}

Json moment_json(std::int64_t milliseconds) {
    if (milliseconds == 0) return nullptr;
    const std::time_t seconds = milliseconds / 1000;
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                       parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, milliseconds % 1000);
}

std::int64_t now_in_milliseconds() {
    std::timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

std::string new_job_id() {
    std::array<unsigned char, kIdLength> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        fail(ErrorCode::failure, "job", "the system gives no random numbers");
    std::string id;
    for (const unsigned char byte : bytes) id += kSigns[byte % kSigns.size()];
    return id;
}

}  // namespace gass::server
