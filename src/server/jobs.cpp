#include "server/jobs.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/wording.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace gass::server {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kEndedKept = 200;
constexpr std::int64_t kMostAttempts = 5;
constexpr std::int64_t kSweptAtOnce = 200;

std::string client_key(const Job& job) {
    return job.owner + "\n" + job.client;
}

fs::path prepared(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder / "sets", error);
    if (error)
        fail(ErrorCode::io, SettingKey("output"), "{}: {}", in_quotes(folder.string()), error.message());
    return folder;
}

FolderLock locked(const fs::path& folder) {
    std::optional<FolderLock> lock = FolderLock::take(folder);
    if (!lock)
        fail(ErrorCode::usage, SettingKey("output"),
             "another process is writing into {}; choose another folder", in_quotes(folder.string()));
    return std::move(*lock);
}

void remove_folder(const fs::path& folder) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
}

}  // namespace

void LiveJob::set_progress(const JobProgress& progress) {
    {
        const std::lock_guard lock(mutex_);
        progress_ = progress;
    }
    events.add("progress", to_json(progress));
}

JobProgress LiveJob::progress() const {
    const std::lock_guard lock(mutex_);
    return progress_;
}

void LiveJob::set_previews(std::vector<Preview> images) {
    const std::size_t count = images.size();
    const std::size_t step = images.empty() ? 0 : images.front().step;
    {
        const std::lock_guard lock(mutex_);
        images_ = std::move(images);
    }
    for (std::size_t i = 0; i < count; ++i) {
        events.add("preview", {{"index", i},
                               {"step", step},
                               {"url", fmt::format("/api/v1/jobs/{}/previews/{}?step={}", id, i, step)}});
    }
}

std::optional<Preview> LiveJob::preview(std::size_t index) const {
    const std::lock_guard lock(mutex_);
    return index < images_.size() ? std::optional(images_[index]) : std::nullopt;
}

std::size_t LiveJob::preview_count() const {
    const std::lock_guard lock(mutex_);
    return images_.size();
}

void LiveJob::when_over(std::function<void()> callback) {
    {
        const std::lock_guard lock(mutex_);
        if (!is_over_) {
            waiting_.push_back(std::move(callback));
            return;
        }
    }
    callback();
}

void LiveJob::set_over() {
    std::vector<std::function<void()>> waiting;
    {
        const std::lock_guard lock(mutex_);
        is_over_ = true;
        images_.clear();
        waiting.swap(waiting_);
    }
    for (const auto& callback : waiting) callback();
}

Jobs::Jobs(const fs::path& folder, const JobLimits& limits)
    : folder_(prepared(folder)), limits_(limits), lock_(locked(folder)), store_(folder / "jobs.db") {
    recover();
}

/// What waited still waits, what was being made is made again, and what somebody waited for is over: he is
/// gone.
void Jobs::recover() {
    for (const JobState state : {JobState::running, JobState::queued}) {
        for (Job& job : store_.all_of(state)) {
            if (job.attached || job.attempts >= kMostAttempts) {
                job.state = job.attached ? JobState::cancelled : JobState::failed;
                job.finished = now_in_milliseconds();
                if (!job.attached)
                    job.error = {
                        {"code", "failure"},
                        {"where", "server"},
                        {"message", fmt::format("the server was ended {} while it was made",
                                                counted(static_cast<std::uint64_t>(job.attempts), "time"))}};
                store_.update(job);
                remove_folder(folder_of(job.id));
                continue;
            }
            job.state = JobState::queued;
            store_.update(job);
            waiting_.push_back({job.id, client_key(job), job.number});
            live_.emplace(job.id, std::make_shared<LiveJob>(job));
        }
    }
    waiting_.sort([](const Waiting& a, const Waiting& b) { return a.number < b.number; });
}

Job Jobs::add(Job job) {
    {
        const std::lock_guard lock(mutex_);
        if (is_stopping_) throw Stopping();
        if (waiting_.size() >= limits_.queued)
            throw Busy(fmt::format("{} wait already; try again later", counted(waiting_.size(), "job")));
        job.id = new_job_id();
        job.created = now_in_milliseconds();
        store_.add(job);
        const auto live = std::make_shared<LiveJob>(job);
        live_.emplace(job.id, live);
        waiting_.push_back({job.id, client_key(job), job.number});
        live->events.add("state", shown(job, positions()));  // before a worker says that it is running
    }
    changed_.notify_one();
    return job;
}

std::optional<Job> Jobs::find(const std::string& id, const std::string& owner) {
    const std::lock_guard lock(mutex_);
    std::optional<Job> job = store_.find(id);
    return job && job->owner == owner ? job : std::nullopt;
}

std::vector<Job> Jobs::list(const std::string& owner, const JobFilter& filter) {
    const std::lock_guard lock(mutex_);
    return store_.list(owner, filter);
}

std::optional<Job> Jobs::cancel(const std::string& id, const std::string& owner) {
    std::optional<Job> job = find(id, owner);
    if (!job || is_final(job->state)) return job;
    end(id, JobState::cancelled, nullptr, nullptr);
    return find(id, owner);
}

bool Jobs::remove(const std::string& id, const std::string& owner) {
    const std::optional<Job> job = cancel(id, owner);
    if (!job) return false;
    {
        const std::lock_guard lock(mutex_);
        store_.remove(id);
        live_.erase(id);
    }
    remove_folder(folder_of(id));
    return true;
}

/// Whoever comes first decides how a job ends.
bool Jobs::end(const std::string& id, JobState state, Json error, Json result) {
    std::shared_ptr<LiveJob> live;
    std::optional<Job> job;
    {
        const std::lock_guard lock(mutex_);
        job = store_.find(id);
        if (!job || is_final(job->state)) return false;
        job->state = state;
        job->finished = now_in_milliseconds();
        job->error = std::move(error);
        job->result = std::move(result);
        store_.update(*job);
        waiting_.remove_if([&](const Waiting& one) { return one.id == id; });
        if (const auto found = live_.find(id); found != live_.end()) live = found->second;
        ended_.push_back(id);
        if (ended_.size() > kEndedKept) {
            live_.erase(ended_.front());
            ended_.pop_front();
        }
    }
    if (live) {
        live->is_stopped = true;
        if (state == JobState::completed) {
            for (const Json& image : job->result.at("images")) live->events.add("image", image);
        }
        live->events.add(state == JobState::completed ? "done" : to_string(state), shown(*job), true);
        live->set_over();
    }
    if (on_end) on_end(*job);
    return true;
}

std::shared_ptr<LiveJob> Jobs::take() {
    std::shared_ptr<LiveJob> live;
    std::optional<Job> job;
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return is_stopping_ || !waiting_.empty(); });
        if (is_stopping_) return nullptr;
        const auto chosen = next();
        served_[chosen->client] = ++turns_;
        job = store_.find(chosen->id).value();
        live = live_.at(chosen->id);
        waiting_.erase(chosen);
        if (waiting_.empty() && served_.size() > limits_.queued) served_.clear();
        job->state = JobState::running;
        job->started = now_in_milliseconds();
        ++job->attempts;
        store_.update(*job);
        ++running_;
    }
    live->events.add("state", shown(*job));
    return live;
}

/// The one whose client had no turn for the longest time.
std::list<Jobs::Waiting>::iterator Jobs::next() {
    const auto last_turn = [&](const Waiting& one) {
        const auto found = served_.find(one.client);
        return found == served_.end() ? std::int64_t{0} : found->second;
    };
    return std::min_element(waiting_.begin(), waiting_.end(), [&](const Waiting& a, const Waiting& b) {
        return std::tuple(last_turn(a), a.number) < std::tuple(last_turn(b), b.number);
    });
}

/// As they will be taken if nobody else comes: in rounds, in each of which every client has a turn.
std::map<std::string, std::int64_t> Jobs::positions() const {
    struct Place {
        std::int64_t round, turn, number;
        const std::string* id;
    };
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> clients;  // jobs so far, order of the first
    std::vector<Place> places;
    for (const Waiting& one : waiting_) {
        const auto [client, is_new] = clients.try_emplace(one.client);
        if (is_new) {
            const auto served = served_.find(one.client);
            client->second.second =
                served == served_.end() ? one.number - (std::int64_t{1} << 40U) : served->second;
        }
        places.push_back({client->second.first++, client->second.second, one.number, &one.id});
    }
    std::ranges::sort(places, [](const Place& a, const Place& b) {
        return std::tuple(a.round, a.turn, a.number) < std::tuple(b.round, b.turn, b.number);
    });
    std::map<std::string, std::int64_t> positions;
    for (std::size_t i = 0; i < places.size(); ++i)
        positions.emplace(*places[i].id, static_cast<std::int64_t>(i) + 1);
    return positions;
}

bool Jobs::complete(LiveJob& live, Json result) {
    --running_;
    return end(live.id, JobState::completed, nullptr, std::move(result));
}

bool Jobs::fail(LiveJob& live, Json error) {
    --running_;
    return end(live.id, JobState::failed, std::move(error), nullptr);
}

void Jobs::put_back(LiveJob& live) {
    --running_;
    const std::lock_guard lock(mutex_);
    std::optional<Job> job = store_.find(live.id);
    if (!job || job->state != JobState::running) return;
    job->state = JobState::queued;
    job->started = 0;
    --job->attempts;  // that it was stopped says nothing of it
    store_.update(*job);
}

std::shared_ptr<LiveJob> Jobs::live(const std::string& id) const {
    const std::lock_guard lock(mutex_);
    const auto found = live_.find(id);
    return found == live_.end() ? nullptr : found->second;
}

Json Jobs::shown(const Job& job, const std::map<std::string, std::int64_t>& places) const {
    const auto place = places.find(job.id);
    std::optional<JobProgress> progress;
    if (job.state == JobState::queued) progress = JobProgress{};
    if (job.state == JobState::running) {
        if (const auto one = live(job.id)) progress = one->progress();
    }
    return to_json(job, place == places.end() ? std::nullopt : std::optional(place->second), progress);
}

Json Jobs::shown(const Job& job) const {
    return shown(std::vector{job}).front();
}

Json Jobs::shown(const std::vector<Job>& jobs) const {
    std::map<std::string, std::int64_t> places;
    if (std::ranges::any_of(jobs, [](const Job& job) { return job.state == JobState::queued; })) {
        const std::lock_guard lock(mutex_);
        places = positions();
    }
    Json list = Json::array();
    for (const Job& job : jobs) list.push_back(shown(job, places));
    return list;
}

void Jobs::stop() {
    {
        const std::lock_guard lock(mutex_);
        is_stopping_ = true;
    }
    changed_.notify_all();
}

void Jobs::let_all_go() {
    std::vector<std::shared_ptr<LiveJob>> all;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [id, one] : live_) all.push_back(one);
    }
    for (const auto& one : all) {
        one->events.end();
        one->set_over();
    }
}

void Jobs::sweep() {
    if (limits_.keep_milliseconds == 0) return;
    std::vector<std::string> ids;
    {
        const std::lock_guard lock(mutex_);
        ids = store_.finished_before(now_in_milliseconds() - limits_.keep_milliseconds, kSweptAtOnce);
        for (const std::string& id : ids) {
            store_.remove(id);
            live_.erase(id);
        }
    }
    for (const std::string& id : ids) remove_folder(folder_of(id));
}

std::size_t Jobs::queued() const {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
}

}  // namespace gass::server
