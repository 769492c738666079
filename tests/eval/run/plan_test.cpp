#include "eval/run/plan.h"

#include "eval/run/fake_suite.h"
#include "support/expect_error.h"

#include <gass/record.h>

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

namespace gass::eval {
namespace {

std::set<std::string> keys_of(const std::vector<WorkItem>& items) {
    std::set<std::string> keys;
    for (const WorkItem& item : items) keys.insert(item.key);
    return keys;
}

TEST(Plan, HasEachGroupOnceWithAllMethodsOfAPromptTogether) {
    const FakeRun run(5, 3);
    EXPECT_EQ(run.items.size(), 2U * 3 * 5 * 3);
    EXPECT_EQ(keys_of(run.items).size(), run.items.size());
    for (std::size_t i = 0; i < run.items.size(); i += 3) {
        for (std::size_t k = 0; k < 3; ++k) {
            EXPECT_EQ(run.items[i + k].method, k);
            EXPECT_EQ(run.items[i + k].prompt, run.items[i].prompt);
            EXPECT_EQ(run.items[i + k].group, run.items[i].group);
        }
    }
}

TEST(Plan, KeepsItsKeysWhenASuiteGrows) {
    const std::set<std::string> longer = keys_of(FakeRun(9, 4).items);
    for (const std::string& key : keys_of(FakeRun(4, 2).items)) EXPECT_TRUE(longer.contains(key));
}

TEST(Plan, KeyDependsOnAllThatDecidesAGroup) {
    FakeRun run(1);
    const std::set<std::string> before = keys_of(run.items);
    const auto differ = [&] {
        for (const std::string& key : keys_of(plan_of(run.suite, run.recipes)))
            EXPECT_FALSE(before.contains(key));
    };
    run.suite.seed = 1;
    differ();
    run.suite.seed = 0;
    run.suite.prompts[0].text += " ";
    differ();
    run.suite = FakeRun(1).suite;
    for (std::vector<Recipe>& recipes : run.recipes) {
        for (Recipe& recipe : recipes) recipe.identity["steps"] = 3;
    }
    differ();
}

RC_GTEST_PROP(Plan, MethodsShareTheirSeeds, ()) {
    FakeRun run(1);
    run.suite.seed = *rc::gen::arbitrary<std::uint64_t>();
    const SuitePrompt prompt{*rc::gen::inRange<std::size_t>(0, 200'000), "p", "p"};
    const auto group = *rc::gen::inRange<std::int64_t>(0, 10'000);
    const auto images = *rc::gen::inRange<std::int64_t>(1, 1025);
    const auto few = seeds_of(run.suite, prompt, group, {{}, images, images});
    const auto many = seeds_of(run.suite, prompt, group, {{}, images, images * 64});
    RC_ASSERT(few.size() == static_cast<std::size_t>(images));
    RC_ASSERT(std::equal(few.begin(), few.end(), many.begin()));
    RC_ASSERT(many.back() <= kMaxSeed);
    RC_ASSERT(std::set(many.begin(), many.end()).size() == many.size());
}

TEST(Plan, GroupsOfASuiteHardlyEverShareNoise) {
    const FakeRun run(200, 5);
    std::set<std::uint64_t> first;
    for (const SuitePrompt& prompt : run.suite.prompts) {
        for (std::int64_t group = 0; group < 5; ++group)
            first.insert(seeds_of(run.suite, prompt, group, run.recipes[0][0]).front());
    }
    EXPECT_EQ(first.size(), 1000U);
}

RC_GTEST_PROP(Plan, ShardsAreThePlan, ()) {
    const FakeRun run(*rc::gen::inRange<std::size_t>(1, 12), *rc::gen::inRange<std::int64_t>(1, 4));
    const auto count = *rc::gen::inRange<std::size_t>(1, 20);
    std::vector<std::string> all;
    for (std::size_t i = 0; i < count; ++i) {
        for (const WorkItem& item : shard_of(run.suite, run.items, {i, count})) all.push_back(item.key);
    }
    RC_ASSERT(all.size() == run.items.size());
    RC_ASSERT(std::set(all.begin(), all.end()) == keys_of(run.items));
}

TEST(Plan, ReadsShards) {
    EXPECT_EQ(parse_shard("2/8").index, 2U);
    EXPECT_EQ(parse_shard("2/8").count, 8U);
    for (const char* text : {"", "8/8", "1", "-1/2", "1/0", "a/b", "1/2/3", "0x1/2"})
        test::expect_error(ErrorCode::usage, "[`shard`]", [&] { parse_shard(text); });
}

}  // namespace
}  // namespace gass::eval
