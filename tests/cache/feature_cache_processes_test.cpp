#include "cache/feature_cache.h"
#include "support/temporary_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>

// What several processes do to one cache at the same time.
namespace gass {
namespace {

using test::TemporaryFolder;
using Entries = std::vector<std::pair<FeatureKey, std::vector<float>>>;

constexpr int kProcesses = 8;
constexpr int kKeys = 400;

FeatureKey key_of(int i) {
    return {std::to_string(i), i % 2 == 0 ? "clip" : "dino", "224"};
}

/// Tells which key it belongs to and, by its last number, who stored it.
std::vector<float> vector_of(int i, int process) {
    std::vector<float> vector(200, static_cast<float>(i));
    vector.back() = static_cast<float>(process);
    return vector;
}

bool is_right(const std::vector<float>& vector, int i) {
    std::vector<float> wanted = vector_of(i, 0);
    wanted.back() = vector.empty() ? -1.F : vector.back();
    return vector == wanted;
}

/// Runs `action` in a process of its own; it ends with status 0 if that returns true.
pid_t start(const std::function<bool()>& action) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    int status = 1;
    try {
        status = action() ? 0 : 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "process %d: %s\n", static_cast<int>(::getpid()), error.what());
    }
    ::_exit(status);
}

int status_of(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
}

/// Stores every key in small batches and looks at what others stored meanwhile.
bool store_and_find(const std::filesystem::path& path, int process) {
    FeatureCache cache(path);
    for (int first = 0; first < kKeys; first += 20) {
        Entries entries;
        std::vector<FeatureKey> keys;
        for (int i = first; i < first + 20; ++i) {
            const int shuffled = (i * 7 + process * 50) % kKeys;
            entries.emplace_back(key_of(shuffled), vector_of(shuffled, process));
            keys.push_back(key_of(shuffled));
        }
        cache.store(entries);
        const auto found = cache.find(keys);
        for (std::size_t k = 0; k < found.size(); ++k) {
            if (!found[k] || !is_right(*found[k], std::stoi(keys[k].file_hash))) return false;
        }
    }
    return true;
}

TEST(FeatureCacheProcesses, NothingIsLostAndNothingMixedUp) {
    const TemporaryFolder folder;
    std::vector<pid_t> children;
    for (int process = 0; process < kProcesses; ++process)
        children.push_back(start([&, process] { return store_and_find(folder / "f", process); }));
    for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
    FeatureCache cache(folder / "f");
    EXPECT_EQ(cache.stats().entries, static_cast<std::uint64_t>(kKeys));
    EXPECT_EQ(cache.stats().encoders.size(), 2U);
}

TEST(FeatureCacheProcesses, OneThatIsKilledHarmsNobody) {
    const TemporaryFolder folder;
    for (int round = 0; round < 5; ++round) {
        const pid_t victim = start([&] {
            while (store_and_find(folder / "f", 99)) {
            }
            return false;
        });
        std::vector<pid_t> children;
        for (int process = 0; process < 3; ++process)
            children.push_back(start([&, process] { return store_and_find(folder / "f", process); }));
        ::usleep(static_cast<useconds_t>(3'000 + 11'000 * round));
        ::kill(victim, SIGKILL);
        EXPECT_EQ(WTERMSIG(status_of(victim)), SIGKILL);
        for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
    }
    FeatureCache cache(folder / "f");
    for (int i = 0; i < kKeys; ++i) {
        const FeatureKey key = key_of(i);
        const auto found = cache.find(std::span(&key, 1)).at(0);
        ASSERT_TRUE(found) << i;
        EXPECT_TRUE(is_right(*found, i)) << i;
    }
}

TEST(FeatureCacheProcesses, ClearingDisturbsNobody) {
    const TemporaryFolder folder;
    std::vector<pid_t> children;
    for (int process = 0; process < kProcesses; ++process) {
        children.push_back(start([&, process] {
            for (int round = 0; round < 15; ++round) {
                FeatureCache cache(folder / "f");  // also opened and closed all the time
                const int i = process + round;
                const Entries entries{{key_of(i), vector_of(i, process)}};
                cache.store(entries);
                const auto found = cache.find(std::span(&entries[0].first, 1)).at(0);
                if (found && !is_right(*found, i)) return false;
                if (process < 3) cache.clear();
                cache.stats();
            }
            return true;
        }));
    }
    for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
}

TEST(FeatureCacheProcesses, ADamagedFileIsReplacedOnce) {
    const TemporaryFolder folder;
    for (int round = 0; round < 5; ++round) {
        folder.write("f", std::string(100'000, 'x'));
        std::vector<pid_t> children;
        for (int process = 0; process < kProcesses; ++process) {
            children.push_back(start([&, process] {
                FeatureCache cache(folder / "f");
                const Entries entries{{key_of(process), vector_of(process, process)}};
                cache.store(entries);
                return true;
            }));
        }
        for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
        EXPECT_EQ(FeatureCache(folder / "f").stats().entries, static_cast<std::uint64_t>(kProcesses));
    }
}

}  // namespace
}  // namespace gass
