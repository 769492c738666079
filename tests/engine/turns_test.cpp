#include "engine/turns.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace gass {
namespace {

TEST(Turns, AreTakenOneAtATime) {
    Turns turns;
    int counter = 0;  // nothing else guards it
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            Turn turn(turns);
            for (int i = 0; i < 100; ++i) {
                ++counter;
                turn.pause([] {});
            }
        });
    }
    threads.clear();
    EXPECT_EQ(counter, 400);
}

TEST(Turns, GoRoundInTheOrderOfAsking) {
    Turns turns;
    std::string order;
    std::vector<std::jthread> threads;
    std::optional<Turn> first(std::in_place, turns);
    for (const char name : {'a', 'b', 'c'}) {
        threads.emplace_back([&, name] {
            Turn turn(turns);
            order += name;
        });
        while (turns.waiting() < threads.size()) std::this_thread::yield();
    }
    first.reset();
    threads.clear();
    EXPECT_EQ(order, "abc");
}

TEST(Turns, PassToWhoeverWaitsInAPause) {
    Turns turns;
    std::string order;
    Turn own(turns);
    std::jthread other([&] {
        Turn turn(turns);
        order += 'b';
    });
    while (turns.waiting() == 0) std::this_thread::yield();
    own.pause([] {});  // back at the end of the queue
    order += 'a';
    EXPECT_EQ(order, "ba");
}

TEST(Turns, ComeBackAfterAnException) {
    Turns turns;
    {
        Turn turn(turns);
        EXPECT_THROW(turn.pause([]() -> int { throw 1; }), int);
        EXPECT_EQ(turn.pause([] { return 7; }), 7);
    }
    const Turn again(turns);
}

TEST(Turns, BelongToTheDevice) {
    EXPECT_EQ(&turns_of(c10::kCPU), &turns_of(c10::kCPU));
    EXPECT_NE(&turns_of(c10::kCPU), &turns_of({c10::kCUDA, 1}));
}

}  // namespace
}  // namespace gass
