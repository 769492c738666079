#pragma once

#include <chrono>
#include <thread>

namespace gass::eval {

/// Between two looks whether something has come: long enough to cost nothing, short beside a group.
inline void wait_a_moment() {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

}  // namespace gass::eval
