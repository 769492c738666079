#include "eval/run/worker.h"

#include <cassert>
#include <chrono>
#include <exception>
#include <new>
#include <utility>

namespace gass::eval {
namespace {

Outcome failed(std::size_t index, ErrorCode code, std::string reason) {
    return {.item = index, .code = code, .reason = std::move(reason)};
}

/// Calls `make` and turns whatever it throws into an outcome.
template <class Make>
Outcome caught(std::size_t index, const Make& make) {
    try {
        return {.item = index, .group = make()};
    } catch (const Error& error) {
        return failed(index, error.code(), error.what());
    } catch (const std::bad_alloc&) {
        return failed(index, ErrorCode::out_of_memory, "memory ran out");
    } catch (const std::exception& error) {
        return failed(index, ErrorCode::failure, error.what());
    }
}

}  // namespace

Outcome outcome_of(GroupMaker& maker, const WorkItem& item, std::size_t index) {
    return caught(index, [&] { return maker.make(item); });
}

void wait_a_moment() {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

LocalWorker::LocalWorker(const std::vector<WorkItem>& items, MakeMaker make_maker)
    : items_(items), thread_([this, make = std::move(make_maker)] { work(make); }) {
}

LocalWorker::~LocalWorker() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

bool LocalWorker::is_idle() const {
    const std::lock_guard lock(mutex_);
    return !is_busy_;
}

void LocalWorker::begin(std::size_t item) {
    {
        const std::lock_guard lock(mutex_);
        assert(!is_busy_);
        next_ = item;
        is_busy_ = true;
    }
    changed_.notify_all();
}

std::optional<Outcome> LocalWorker::finished() {
    const std::lock_guard lock(mutex_);
    if (!outcome_) return std::nullopt;
    is_busy_ = false;
    return std::exchange(outcome_, std::nullopt);
}

void LocalWorker::work(const MakeMaker& make_maker) {
    std::unique_ptr<GroupMaker> maker;
    while (true) {
        std::size_t item = 0;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return stopping_ || next_; });
            if (stopping_) return;
            item = *std::exchange(next_, std::nullopt);
        }
        Outcome outcome = caught(item, [&] {
            if (maker == nullptr) maker = make_maker();
            return maker->make(items_[item]);
        });
        const std::lock_guard lock(mutex_);
        outcome_ = std::move(outcome);
    }
}

}  // namespace gass::eval
