// What is read when it is first used: once for all threads, and never taken from one that uses it.

#include "loading/lazy.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

namespace gass {
namespace {

struct Network {
    explicit Network(int given) : value(given) {}
    Network(Network&&) = default;
    ~Network() { value = 0; }

    int value = 0;
};

void in_threads(int count, const std::function<void()>& work) {
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) threads.emplace_back(work);
    for (std::thread& thread : threads) thread.join();
}

TEST(Lazy, IsReadOnceForAllThreads) {
    std::atomic<int> loads = 0;
    const Lazy<Network> lazy([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));  // so that all of them find it missing
        return Network(++loads);
    });
    EXPECT_EQ(loads, 0);
    in_threads(8, [&] { EXPECT_EQ(lazy.get()->value, 1); });
    EXPECT_EQ(loads, 1);
}

TEST(Lazy, StaysAsLongAsSomebodyHoldsIt) {
    int loads = 0;
    const Lazy<Network> lazy([&] { return Network(++loads); });
    auto held = lazy.get();
    lazy.release();
    EXPECT_EQ(held->value, 1);
    EXPECT_EQ(lazy.get(), held);  // not a second copy beside the first
    lazy.release();
    held.reset();
    EXPECT_EQ(lazy.get()->value, 2);
    EXPECT_EQ(loads, 2);
}

TEST(Lazy, IsNeverTakenFromAThreadThatUsesIt) {
    std::atomic<int> loads = 0;
    std::atomic<bool> done = false;
    const Lazy<Network> lazy([&] {
        ++loads;
        return Network(7);
    });
    int releases = 0;
    std::thread releasing([&] {
        for (; !done; ++releases) lazy.release();
    });
    in_threads(4, [&] {
        for (int i = 0; i < 2000; ++i) {
            const auto network = lazy.get();
            std::this_thread::yield();
            EXPECT_EQ(network->value, 7);
        }
    });
    done = true;
    releasing.join();
    EXPECT_GE(loads, 1);
    EXPECT_LE(loads, releases + 1);
}

TEST(Lazy, IsTriedAgainAfterAnError) {
    int loads = 0;
    const Lazy<Network> lazy([&] {
        if (++loads == 1) throw std::runtime_error("no memory");
        return Network(loads);
    });
    EXPECT_THROW(lazy.get(), std::runtime_error);
    EXPECT_EQ(lazy.get()->value, 2);
}

}  // namespace
}  // namespace gass
