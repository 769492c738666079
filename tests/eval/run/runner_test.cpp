#include "eval/run/runner.h"

#include "core/fail.h"
#include "eval/run/fake_network.h"
#include "eval/run/fake_suite.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <random>
#include <set>

namespace gass::eval {
namespace {

using test::expect_error;
using test::TemporaryFolder;

/// Makes fake groups, or does what a test wants instead.
class FakeMaker : public GroupMaker {
  public:
    using Hook = std::function<void(const WorkItem&)>;
    explicit FakeMaker(Hook hook = {}) : hook_(std::move(hook)) {}
    MadeGroup make(const WorkItem& item) override {
        if (hook_) hook_(item);
        return fake_group(item);
    }

  private:
    Hook hook_;
};

struct Outcomes {
    std::size_t made = 0;
    std::vector<std::string> failed;
};

/// A run of this process alone.
Outcomes run_all(const FakeRun& run, const std::filesystem::path& folder, const FakeMaker::Hook& hook = {},
                 const std::function<bool()>& should_stop = {}) {
    Store store(folder);
    WorkQueue queue(store, run.items, {kFakeEncoder});
    Outcomes outcomes;
    std::atomic<std::size_t> made = 0;
    LocalWorker own(run.items, [&] {
        return std::make_unique<FakeMaker>([&](const WorkItem& item) {
            if (hook) hook(item);
            ++made;
        });
    });
    eval::run(
        run.suite, run.items, store, queue, own, nullptr,
        {.progress = {},
         .failed = [&](const WorkItem& item, const std::string&) { outcomes.failed.push_back(item.key); },
         .should_stop = should_stop});
    outcomes.made = made;
    return outcomes;
}

/// Whether every group is there, with its own content.
void expect_complete(const FakeRun& run, const std::filesystem::path& folder) {
    Store store(folder);
    for (const WorkItem& item : run.items) {
        ASSERT_TRUE(store.is_kept(item.key, std::vector<std::string>{kFakeEncoder}));
        EXPECT_EQ(store.find(item.key)->record, fake_group(item).record);
        EXPECT_EQ(store.features(item.key, kFakeEncoder)->numbers, fake_group(item).features[0].numbers);
    }
}

TEST(Runner, MakesEachGroupOnceAndThenNothing) {
    const TemporaryFolder folder;
    const FakeRun run(4, 2);
    EXPECT_EQ(run_all(run, folder.path()).made, run.items.size());
    expect_complete(run, folder.path());
    EXPECT_EQ(run_all(run, folder.path()).made, 0U);
    EXPECT_EQ(run_all(FakeRun(6, 2), folder.path()).made, 2U * 3 * 2 * 2);  // two more prompts
}

TEST(Runner, AFailingGroupIsRecordedAndTriedAgainNextTime) {
    const TemporaryFolder folder;
    const FakeRun run(3);
    const auto unlucky = [](const WorkItem& item) {
        if (item.prompt == 1 && item.method == 2) fail(ErrorCode::out_of_memory, "here", "too large");
    };
    const Outcomes first = run_all(run, folder.path(), unlucky);
    EXPECT_EQ(first.made, run.items.size() - 2);
    EXPECT_EQ(first.failed.size(), 2U);
    EXPECT_EQ(Store(folder.path()).failure(first.failed[0]), "[here] too large");
    EXPECT_EQ(run_all(run, folder.path()).made, 2U);
    expect_complete(run, folder.path());
}

TEST(Runner, WhatIsThrownByOthersIsAFailureToo) {
    const TemporaryFolder folder;
    const FakeRun run(1);
    const Outcomes outcomes = run_all(run, folder.path(), [](const WorkItem& item) {
        if (item.method == 0) throw std::runtime_error("odd");
        if (item.method == 1) throw std::bad_alloc();
    });
    EXPECT_EQ(outcomes.failed.size(), 4U);
    EXPECT_EQ(Store(folder.path()).failure(run.items[0].key), "odd");
    EXPECT_EQ(Store(folder.path()).failure(run.items[1].key), "memory ran out");
}

TEST(Runner, AFullDiskEndsTheRunAndNothingIsBlamed) {
    const TemporaryFolder folder;
    const FakeRun run(3);
    std::size_t count = 0;
    expect_error(ErrorCode::io, "disk", [&] {
        run_all(run, folder.path(), [&](const WorkItem&) {
            if (++count == 4) fail(ErrorCode::io, "disk", "full");
        });
    });
    for (const WorkItem& item : run.items) EXPECT_FALSE(Store(folder.path()).failure(item.key));
    EXPECT_EQ(run_all(run, folder.path()).made, run.items.size() - 3);
    expect_complete(run, folder.path());
}

TEST(Runner, StopsWhereItIsToldTo) {
    const TemporaryFolder folder;
    const FakeRun run(3);
    std::atomic<std::size_t> made = 0;
    expect_error(ErrorCode::interrupted, "13 of 18", [&] {
        run_all(
            run, folder.path(), [&](const WorkItem&) { ++made; }, [&] { return made >= 5; });
    });
    EXPECT_EQ(run_all(run, folder.path()).made, 13U);
    expect_complete(run, folder.path());
}

/// Kills a process at some moment of its run; returns whether it had finished before.
bool killed_after(std::chrono::microseconds time, const std::function<void()>& action) {
    const pid_t child = ::fork();
    if (child == 0) {
        action();
        ::_exit(0);
    }
    ::usleep(static_cast<useconds_t>(time.count()));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status);
}

TEST(Runner, KilledAtAnyMomentItLosesAndRepeatsNothing) {
    const TemporaryFolder folder;
    const FakeRun run(12);  // 72 groups
    std::minstd_rand random(7);
    const auto slowly = [](const WorkItem&) { ::usleep(500); };
    std::size_t kills = 0;
    std::size_t kept_before = 0;
    for (int i = 0; i < 200 && kills < 20; ++i) {
        const auto time = std::chrono::microseconds(1000 + random() % 20000);
        if (killed_after(time, [&] { run_all(run, folder.path(), slowly); })) break;
        ++kills;
        Store store(folder.path());
        std::size_t kept = 0;
        for (const WorkItem& item : run.items) kept += store.is_kept(item.key, {}) ? 1U : 0U;
        EXPECT_GE(kept, kept_before);
        kept_before = kept;
    }
    EXPECT_GE(kills, 5U);
    EXPECT_EQ(run_all(run, folder.path()).made, run.items.size() - kept_before);
    expect_complete(run, folder.path());
}

TEST(Runner, TwoOnOneStoreShareTheWork) {
    const TemporaryFolder folder;
    const FakeRun run(10);
    int pipe_ends[2];
    ASSERT_EQ(::pipe(pipe_ends), 0);
    std::vector<pid_t> children;
    for (int i = 0; i < 2; ++i) {
        const pid_t child = ::fork();
        if (child == 0) {
            const std::size_t made =
                run_all(run, folder.path(), [](const WorkItem&) { ::usleep(2000); }).made;
            ::_exit(::write(pipe_ends[1], &made, sizeof made) == sizeof made ? 0 : 1);
        }
        children.push_back(child);
    }
    std::size_t sum = 0;
    for (const pid_t child : children) {
        std::size_t made = 0;
        ASSERT_EQ(::read(pipe_ends[0], &made, sizeof made), static_cast<ssize_t>(sizeof made));
        EXPECT_GT(made, 0U);
        sum += made;
        int status = 0;
        ::waitpid(child, &status, 0);
        EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(sum, run.items.size());  // none twice
    expect_complete(run, folder.path());
}

TEST(Runner, FinishesWhatAnotherOneDiedOver) {
    const TemporaryFolder folder;
    const FakeRun run(2);
    const pid_t child = ::fork();
    if (child == 0) {
        run_all(run, folder.path(), [](const WorkItem&) { ::pause(); });  // claims one group for ever
        ::_exit(0);
    }
    while (!Store::exists(folder.path())) ::usleep(1000);
    ::usleep(50'000);
    std::thread killer([&] {
        ::usleep(300'000);
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
    });
    EXPECT_EQ(run_all(run, folder.path()).made, run.items.size());
    killer.join();
    expect_complete(run, folder.path());
}

// --- Several processes
// --------------------------------------------------------------------------------------------

/// A run of rank 0 with `followers`, each of which has the plan of `theirs`.
Outcomes run_job(const FakeRun& run, const FakeRun& theirs, int followers,
                 const std::filesystem::path& folder, const FakeMaker::Hook& hook) {
    FakeNetwork network(followers + 1);
    std::vector<std::thread> threads;
    for (int rank = 1; rank <= followers; ++rank) {
        threads.emplace_back([&, rank] {
            FakeNetwork::Rank communicator(network, rank);
            FakeMaker maker(hook);
            serve(communicator, theirs.items, maker);
        });
    }
    Outcomes outcomes;
    std::exception_ptr thrown;
    try {
        FakeNetwork::Rank communicator(network, 0);
        RemoteWorkers others(communicator);
        Store store(folder);
        WorkQueue queue(store, run.items, {kFakeEncoder});
        LocalWorker own(run.items, [&] { return std::make_unique<FakeMaker>(hook); });
        eval::run(
            run.suite, run.items, store, queue, own, &others,
            {.progress = {},
             .failed = [&](const WorkItem& item, const std::string&) { outcomes.failed.push_back(item.key); },
             .should_stop = {}});
    } catch (const Error&) {
        thrown = std::current_exception();
    }
    for (std::thread& thread : threads) thread.join();
    if (thrown != nullptr) std::rethrow_exception(thrown);
    return outcomes;
}

TEST(Job, SharesTheWorkOverItsRanks) {
    const TemporaryFolder folder;
    const FakeRun run(8);
    std::mutex mutex;
    std::multiset<std::string> made;
    std::set<std::thread::id> makers;
    const Outcomes outcomes = run_job(run, run, 3, folder.path(), [&](const WorkItem& item) {
        ::usleep(3000);
        const std::lock_guard lock(mutex);
        made.insert(item.key);
        makers.insert(std::this_thread::get_id());
        if (item.prompt == 3 && item.method == 1) fail(ErrorCode::failure, "there", "broken");
    });
    EXPECT_EQ(makers.size(), 4U);
    EXPECT_EQ(made.size(), run.items.size());
    EXPECT_EQ(std::set(made.begin(), made.end()).size(), run.items.size());
    EXPECT_EQ(outcomes.failed.size(), 2U);
    EXPECT_EQ(Store(folder.path()).failure(outcomes.failed[0]), "[there] broken");
}

TEST(Job, RefusesARankWithAnotherPlan) {
    const TemporaryFolder folder;
    const auto slowly = [](const WorkItem&) { ::usleep(5000); };
    expect_error(ErrorCode::failure, "rank 1 has another plan",
                 [&] { run_job(FakeRun(20), FakeRun(21), 1, folder.path(), slowly); });
}

RC_GTEST_PROP(MadeGroup, TravelsUnchanged, ()) {
    MadeGroup group;
    group.record = {{"prompt", "é"}, {"n", *rc::gen::arbitrary<int>()}};
    for (const auto& bytes : *rc::gen::arbitrary<std::vector<std::vector<std::uint8_t>>>()) {
        const auto data = std::as_bytes(std::span(bytes));
        group.files.push_back({"f", {data.begin(), data.end()}});
    }
    const auto rows = *rc::gen::inRange<std::int64_t>(0, 4);
    group.features.push_back({"e", rows, 2, std::vector<float>(static_cast<std::size_t>(rows) * 2, 0.25F)});
    const MadeGroup back = made_group_from_bytes(to_bytes(group));
    RC_ASSERT(back.record == group.record);
    RC_ASSERT(back.files.size() == group.files.size());
    for (std::size_t i = 0; i < back.files.size(); ++i)
        RC_ASSERT(back.files[i].bytes == group.files[i].bytes);
    RC_ASSERT(back.features[0].numbers == group.features[0].numbers);
    std::vector<std::uint8_t> cut = to_bytes(group);
    cut.resize(*rc::gen::inRange<std::size_t>(0, cut.size()));
    RC_ASSERT_THROWS_AS(made_group_from_bytes(cut), Error);
}

}  // namespace
}  // namespace gass::eval
