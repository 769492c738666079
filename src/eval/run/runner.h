#pragma once

#include "eval/run/job.h"
#include "eval/run/store.h"
#include "eval/run/work_queue.h"
#include "eval/run/worker.h"

#include <functional>
#include <string>

namespace gass::eval {

/// How a caller watches a run and stops it.
struct RunEvents {
    /// So many groups are settled of those that were open.
    std::function<void(std::size_t settled, std::size_t total)> progress;
    std::function<void(const WorkItem& item, const std::string& reason)> failed;
    std::function<bool()> should_stop;
};

/// Where the pictures of a group lie, below the store.
std::string folder_of(const Suite& suite, const WorkItem& item);

/// Seconds of a run, and those of them that went into the store rather than into groups.
struct RunTimes {
    double all = 0;
    double store = 0;
};

/// Has all groups made that the queue holds, by the worker of this process and those of others, if any, and
/// keeps each in the store as soon as it is there. Groups that another runner is making are waited for, and
/// made here if it dies. A failure of one group is kept and the run goes on; any other (a full disk, a lost
/// device) is thrown once everybody has finished what is in work. Throws interrupted if it is stopped.
RunTimes run(const Suite& suite, const std::vector<WorkItem>& items, Store& store, WorkQueue& queue,
             Worker& own, RemoteWorkers* others, const RunEvents& events);

}  // namespace gass::eval
