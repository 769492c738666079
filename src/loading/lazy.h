#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace gass {

/// A network that is read from its file when it is first used, and may be given up until it is used again:
/// the file stays mapped, so reading it again costs a copy. Any number of threads may share it: it is read
/// once, by the first of them, while the others wait.
template <class Network>
class Lazy {
  public:
    explicit Lazy(std::function<Network()> load) : load_(std::move(load)) {}

    /// A lease: the network stays in memory at least as long as somebody holds one.
    std::shared_ptr<const Network> get() const {
        const std::lock_guard lock(state_->mutex);
        if (!state_->kept) state_->kept = state_->leased.lock();
        if (!state_->kept) {
            state_->kept = std::shared_ptr<const Network>(new Network(load_()));
            state_->leased = state_->kept;
        }
        return state_->kept;
    }

    /// Gives up our hold on it; it goes with the last lease, and whoever asks before that gets the same one.
    void release() const {
        std::shared_ptr<const Network> last;  // destroyed behind the lock
        const std::lock_guard lock(state_->mutex);
        last.swap(state_->kept);
    }

  private:
    struct State {
        std::mutex mutex;
        std::shared_ptr<const Network> kept;
        std::weak_ptr<const Network> leased;
    };

    std::function<Network()> load_;
    std::unique_ptr<State> state_ = std::make_unique<State>();  // so that it may be moved before it is shared
};

}  // namespace gass
