#include "eval/run/runner.h"

#include "core/fail.h"
#include "core/stopwatch.h"
#include "core/wording.h"

#include <chrono>
#include <exception>
#include <vector>

namespace gass::eval {
namespace {

/// How long to wait before looking again whether another runner has finished, or died.
constexpr auto kLookAgain = std::chrono::milliseconds(200);

class Run {
  public:
    Run(const Suite& suite, const std::vector<WorkItem>& items, Store& store, WorkQueue& queue,
        const RunEvents& events)
        : suite_(suite), items_(items), store_(store), queue_(queue), events_(events) {}

    RunTimes with(std::vector<Worker*> workers, RemoteWorkers* others) {
        const Stopwatch watch;
        show();
        const std::string plan = plan_key(items_);
        while (true) {
            if (others != nullptr) others->listen(plan);
            bool moved = false;
            for (Worker* worker : workers) moved = take_from(*worker) || moved;
            const bool goes_on = !is_stopping();
            for (Worker* worker : workers) moved = (goes_on && give_to(*worker)) || moved;
            if (in_work_ == 0 && (!goes_on || queue_.is_empty())) break;
            if (!moved) wait_a_moment();
        }
        if (fatal_ != nullptr) std::rethrow_exception(fatal_);
        if (!queue_.is_empty())  // stopped
            fail(ErrorCode::interrupted, "gass eval", "stopped; {} of {} left to make",
                 queue_.total() - queue_.settled(), counted(queue_.total(), "group"));
        return {watch.seconds(), store_seconds_};
    }

  private:
    bool is_stopping() const {
        return was_interrupted_ || fatal_ != nullptr || (events_.should_stop && events_.should_stop());
    }

    void show() const {
        if (events_.progress) events_.progress(queue_.settled(), queue_.total());
    }

    bool give_to(Worker& worker) {
        if (!worker.is_idle() || queue_.is_empty() || Clock::now() < next_look_) return false;
        try {
            const std::size_t settled = queue_.settled();
            const Stopwatch watch;
            const std::optional<std::size_t> item = queue_.take();
            store_seconds_ += watch.seconds();
            if (queue_.settled() != settled) show();
            if (!item) {
                next_look_ = Clock::now() + kLookAgain;
                return false;
            }
            worker.begin(*item);
            ++in_work_;
            return true;
        } catch (const Error&) {
            fatal_ = std::current_exception();
            return false;
        }
    }

    bool take_from(Worker& worker) {
        const std::optional<Outcome> outcome = worker.finished();
        if (!outcome) return false;
        --in_work_;
        try {
            keep(*outcome);
        } catch (const Error&) {
            if (fatal_ == nullptr) fatal_ = std::current_exception();
        }
        return true;
    }

    void keep(const Outcome& outcome) {
        const WorkItem& item = items_[outcome.item];
        if (!outcome.code) {
            const Stopwatch watch;
            store_.keep(item.key, folder_of(suite_, item), outcome.group);
            store_seconds_ += watch.seconds();
        } else if (concerns_one_item(*outcome.code)) {
            store_.keep_failure(item.key, outcome.reason);
            if (events_.failed) events_.failed(item, outcome.reason);
        } else {
            store_.give_back(item.key);
            if (*outcome.code != ErrorCode::interrupted)
                throw Error(*outcome.code, "gass eval", outcome.reason);
            was_interrupted_ = true;
            return;
        }
        queue_.settle(outcome.item);
        show();
    }

    using Clock = std::chrono::steady_clock;
    const Suite& suite_;
    const std::vector<WorkItem>& items_;
    Store& store_;
    WorkQueue& queue_;
    const RunEvents& events_;
    std::size_t in_work_ = 0;
    double store_seconds_ = 0;
    std::exception_ptr fatal_;
    bool was_interrupted_ = false;  // by a signal that another process got
    Clock::time_point next_look_ = {};
};

}  // namespace

std::string folder_of(const Suite& suite, const WorkItem& item) {
    return fmt::format("pictures/{}/{}/{:05}-{:02}", suite.models[item.model].id,
                       suite.methods[item.method].id, suite.prompts[item.prompt].index, item.group);
}

RunTimes run(const Suite& suite, const std::vector<WorkItem>& items, Store& store, WorkQueue& queue,
             Worker& own, RemoteWorkers* others, const RunEvents& events) {
    std::vector<Worker*> workers{&own};
    if (others != nullptr) {
        for (const auto& other : others->all()) workers.push_back(other.get());
    }
    return Run(suite, items, store, queue, events).with(std::move(workers), others);
}

}  // namespace gass::eval
