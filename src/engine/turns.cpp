#include "engine/turns.h"

#include <map>

namespace gass {

void Turns::take() {
    std::unique_lock lock(mutex_);
    const std::uint64_t own = next_++;
    changed_.wait(lock, [&] { return current_ == own; });
}

void Turns::give_back() {
    {
        const std::lock_guard lock(mutex_);
        ++current_;
    }
    changed_.notify_all();
}

std::uint64_t Turns::waiting() const {
    const std::lock_guard lock(mutex_);
    return next_ == current_ ? 0 : next_ - current_ - 1;
}

Turns& turns_of(c10::Device device) {
    static std::mutex mutex;
    static std::map<std::pair<c10::DeviceType, c10::DeviceIndex>, Turns> all;
    const std::lock_guard lock(mutex);
    return all[{device.type(), device.index()}];
}

}  // namespace gass
