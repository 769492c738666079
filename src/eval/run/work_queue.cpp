#include "eval/run/work_queue.h"

#include <utility>

namespace gass::eval {

WorkQueue::WorkQueue(Store& store, const std::vector<WorkItem>& items, std::vector<std::string> encoders)
    : store_(store), items_(items), encoders_(std::move(encoders)), states_(items.size(), State::open) {
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (store.is_kept(items[i].key, encoders_)) {
            states_[i] = State::settled;
        } else {
            if (store.failure(items[i].key)) states_[i] = State::open_again;
            ++left_;
        }
    }
    total_ = left_;
}

std::optional<std::size_t> WorkQueue::take() {
    while (first_open_ < items_.size() && states_[first_open_] == State::settled) ++first_open_;
    for (std::size_t i = first_open_; i < items_.size(); ++i) {
        if (states_[i] != State::open && states_[i] != State::open_again) continue;
        switch (store_.claim(items_[i].key, encoders_, states_[i] == State::open_again)) {
            case Store::Claim::taken:
                states_[i] = State::in_work;
                return i;
            case Store::Claim::settled:  // by another runner
                settle(i);
                break;
            case Store::Claim::held_by_another:
                break;
        }
    }
    return std::nullopt;
}

void WorkQueue::settle(std::size_t item) {
    states_[item] = State::settled;
    --left_;
}

}  // namespace gass::eval
