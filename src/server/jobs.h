#pragma once

#include "io/file_set.h"
#include "server/event_log.h"
#include "server/job.h"
#include "server/job_store.h"

#include <gass/error.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace gass::server {

/// There is more to do than is taken on.
class Busy : public Error {
  public:
    explicit Busy(std::string_view message) : Error(ErrorCode::device, "queue", message) {}
};

/// The server is to end, and begins nothing.
class Stopping : public Error {
  public:
    Stopping() : Error(ErrorCode::device, "server", "the server is stopping") {}
};

/// An image as it looks while it is made.
struct Preview {
    std::string bytes;
    std::string type;  ///< "image/jpeg"
    std::size_t step = 0;
};

/// A job that waits or is made, or was made a short while ago: what the disk need not know of it.
class LiveJob {
  public:
    explicit LiveJob(const Job& job)
        : id(job.id), model(job.model), plan(job.plan), previews(job.previews), events(first_event(job)) {}

    void set_progress(const JobProgress& progress);
    JobProgress progress() const;
    void set_previews(std::vector<Preview> images);
    std::optional<Preview> preview(std::size_t index) const;
    std::size_t preview_count() const;

    /// Calls it, on some thread, when the job is over or the server stops; at once if it is.
    void when_over(std::function<void()> callback);
    /// Previews go, and whoever waits is told.
    void set_over();

    const std::string id;
    const std::string model;
    const Json plan;
    const bool previews;
    EventLog events;
    std::atomic<bool> is_stopped{false};  ///< nobody wants it any more

  private:
    /// Listeners of one attempt know its events from those of another.
    static std::int64_t first_event(const Job& job) { return job.attempts * 1'000'000; }

    mutable std::mutex mutex_;
    JobProgress progress_;
    std::vector<Preview> images_;
    bool is_over_ = false;
    std::vector<std::function<void()>> waiting_;
};

struct JobLimits {
    std::size_t queued = 256;
    std::int64_t keep_milliseconds = 0;  ///< of what is over; 0: for ever
};

/// All jobs: the queue and who is next, the disk, and what listeners are told. For any number of threads.
class Jobs {
  public:
    /// Takes up what an earlier server left in this folder, which no other process may have meanwhile.
    Jobs(const std::filesystem::path& folder, const JobLimits& limits);

    /// Adds a job. It is on the disk when this returns. Throws Busy if the queue is full.
    Job add(Job job);
    std::optional<Job> find(const std::string& id, const std::string& owner);
    std::vector<Job> list(const std::string& owner, const JobFilter& filter);
    /// Ends what is not over yet. The job as it then is; none if there is none.
    std::optional<Job> cancel(const std::string& id, const std::string& owner);
    bool remove(const std::string& id, const std::string& owner);
    /// What the API says of a job.
    Json shown(const Job& job) const;
    Json shown(const std::vector<Job>& jobs) const;

    /// The next job to make, which is then running; waits for one. Null when the server stops.
    std::shared_ptr<LiveJob> take();
    /// Ends of a running job. False if it is over already: somebody cancelled it.
    bool complete(LiveJob& live, Json result);
    bool fail(LiveJob& live, Json error);
    /// The server stops: the next one makes it.
    void put_back(LiveJob& live);

    /// What is known of a job in memory; null if it is long over.
    std::shared_ptr<LiveJob> live(const std::string& id) const;
    std::filesystem::path folder_of(const std::string& id) const { return folder_ / "sets" / id; }

    /// From now on nothing is taken and nothing added.
    void stop();
    /// Lets go whoever listens or waits.
    void let_all_go();
    /// Removes what has been kept long enough.
    void sweep();

    std::size_t queued() const;
    std::size_t running() const { return running_; }
    /// Told of each job that is over.
    std::function<void(const Job&)> on_end;

  private:
    struct Waiting {
        std::string id;
        std::string client;
        std::int64_t number = 0;
    };

    void recover();
    bool end(const std::string& id, JobState state, Json error, Json result);
    std::map<std::string, std::int64_t> positions() const;
    std::list<Waiting>::iterator next();
    Json shown(const Job& job, const std::map<std::string, std::int64_t>& places) const;

    std::filesystem::path folder_;
    JobLimits limits_;
    FolderLock lock_;
    mutable std::mutex mutex_;  // of what follows
    std::condition_variable changed_;
    JobStore store_;
    std::list<Waiting> waiting_;
    std::map<std::string, std::int64_t> served_;  // when each client had its turn last
    std::int64_t turns_ = 0;
    std::map<std::string, std::shared_ptr<LiveJob>> live_;
    std::deque<std::string> ended_;  // of those, the oldest first
    bool is_stopping_ = false;
    std::atomic<std::size_t> running_{0};
};

}  // namespace gass::server
