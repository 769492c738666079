#pragma once

#include "eval/run/made_group.h"
#include "eval/run/plan.h"

#include <gass/error.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace gass::eval {

/// Makes groups. One object is used by one thread.
class GroupMaker {
  public:
    GroupMaker() = default;
    virtual ~GroupMaker() = default;
    GroupMaker(const GroupMaker&) = delete;
    GroupMaker& operator=(const GroupMaker&) = delete;

    /// Throws interrupted if it is stopped meanwhile.
    virtual MadeGroup make(const WorkItem& item) = 0;
};

/// What came of an item: a group or, if `code` is set, the reason why there is none.
struct Outcome {
    std::size_t item = 0;
    MadeGroup group = {};
    std::optional<ErrorCode> code = {};
    std::string reason = {};
};

/// What making an item gave; never throws.
Outcome outcome_of(GroupMaker& maker, const WorkItem& item, std::size_t index);

/// Between two questions whether something has come: long enough to cost nothing, short beside a group.
void wait_a_moment();

/// Somebody who makes one group at a time while others do something else.
class Worker {
  public:
    Worker() = default;
    virtual ~Worker() = default;
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    virtual bool is_idle() const = 0;
    /// Only if it is idle.
    virtual void begin(std::size_t item) = 0;
    /// What it has finished since it was last asked; it is idle then.
    virtual std::optional<Outcome> finished() = 0;
};

/// A worker in a thread of its own. The maker lives in that thread alone: LibTorch counts threads for each.
class LocalWorker : public Worker {
  public:
    using MakeMaker = std::function<std::unique_ptr<GroupMaker>()>;
    LocalWorker(const std::vector<WorkItem>& items, MakeMaker make_maker);
    /// Waits for what is in work.
    ~LocalWorker() override;

    bool is_idle() const override;
    void begin(std::size_t item) override;
    std::optional<Outcome> finished() override;

  private:
    void work(const MakeMaker& make_maker);

    const std::vector<WorkItem>& items_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    bool stopping_ = false;
    std::optional<std::size_t> next_;
    bool is_busy_ = false;
    std::optional<Outcome> outcome_;
    std::thread thread_;  // last: it uses all of the above
};

}  // namespace gass::eval
