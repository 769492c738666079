#pragma once

#include "eval/run/plan.h"
#include "eval/run/store.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gass::eval {

/// What of a plan is still to be made, in its order. Other runners may take from the same store meanwhile.
class WorkQueue {
  public:
    /// `encoders`: that must have seen a group for it to be done. What failed in earlier runs is tried again,
    /// what fails from now on is not.
    WorkQueue(Store& store, const std::vector<WorkItem>& items, std::vector<std::string> encoders);

    /// The next group, now claimed; nothing if there is none left, or others make the rest.
    std::optional<std::size_t> take();
    /// Whether all groups are made or have failed, as far as `take` knows.
    bool is_empty() const { return left_ == 0; }
    /// Groups that were not settled when the queue was made, and those settled since, by whomever.
    std::size_t total() const { return total_; }
    std::size_t settled() const { return total_ - left_; }

    /// The group that was taken is made, or has failed: either is in the store.
    void settle(std::size_t item);

  private:
    Store& store_;
    const std::vector<WorkItem>& items_;
    std::vector<std::string> encoders_;
    enum class State : unsigned char { open, open_again, in_work, settled };
    std::vector<State> states_;
    std::size_t first_open_ = 0;
    std::size_t left_ = 0;
    std::size_t total_ = 0;
};

}  // namespace gass::eval
