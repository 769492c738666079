#include "cache/feature_cache.h"

#include "core/hash.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

#include <rapidcheck/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace gass {
namespace {

namespace fs = std::filesystem;
using test::expect_error;
using test::TemporaryFolder;
using Entries = std::vector<std::pair<FeatureKey, std::vector<float>>>;

FeatureKey key(const std::string& file, const std::string& encoder = "clip",
               const std::string& preprocessing = "224") {
    return {file, encoder, preprocessing};
}

std::optional<std::vector<float>> find(FeatureCache& cache, const FeatureKey& wanted) {
    return cache.find(std::span(&wanted, 1)).at(0);
}

void store(FeatureCache& cache, const FeatureKey& wanted, const std::vector<float>& vector) {
    const Entries entries{{wanted, vector}};
    cache.store(entries);
}

/// Changes the file with SQLite itself, as nothing of ours would.
void tamper(const fs::path& path, const char* sql) {
    sqlite3* connection = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &connection), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(connection, sql, nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(connection);
    sqlite3_close(connection);
}

/// What a statement that counts gives, by SQLite itself.
std::uint64_t count_rows(const fs::path& path, const char* sql) {
    sqlite3* connection = nullptr;
    EXPECT_EQ(sqlite3_open(path.c_str(), &connection), SQLITE_OK);
    std::uint64_t count = 0;
    const auto keep = [](void* result, int, char** columns, char**) {
        *static_cast<std::uint64_t*>(result) = std::stoull(columns[0]);
        return 0;
    };
    EXPECT_EQ(sqlite3_exec(connection, sql, keep, &count, nullptr), SQLITE_OK) << sqlite3_errmsg(connection);
    sqlite3_close(connection);
    return count;
}

TEST(FeatureCache, HashesAreThoseOfXxh3) {
    EXPECT_EQ(hash_bytes({}), "99aa06d3014798d86001c324468d497f");  // published for the empty input
    const std::string text = "abc";
    EXPECT_EQ(hash_bytes(std::as_bytes(std::span(text))), "06b05ab6733a618578af5f94892f3950");
}

TEST(FeatureCache, FindsWhatWasStoredUnderTheWholeKey) {
    const TemporaryFolder folder;
    FeatureCache cache(folder / "deep" / "er" / "features.sqlite");
    EXPECT_EQ(find(cache, key("a")), std::nullopt);
    store(cache, key("a"), {1, 2, 3});
    store(cache, key("a", "dino"), {4});
    store(cache, key("a", "clip", "256"), {});
    EXPECT_EQ(find(cache, key("a")), (std::vector<float>{1, 2, 3}));
    EXPECT_EQ(find(cache, key("a", "dino")), std::vector<float>{4});
    EXPECT_EQ(find(cache, key("a", "clip", "256")), std::vector<float>{});
    EXPECT_EQ(find(cache, key("b")), std::nullopt);
    EXPECT_EQ(find(cache, key("a", "dino", "256")), std::nullopt);
    store(cache, key("a"), {9});  // the last one wins
    EXPECT_EQ(find(cache, key("a")), std::vector<float>{9});
    EXPECT_TRUE(cache.find({}).empty());
    cache.store({});
}

TEST(FeatureCache, IsAMap) {
    const TemporaryFolder folder;
    FeatureCache cache(folder / "f");
    std::map<std::tuple<std::string, std::string, std::string>, std::vector<float>> model;
    EXPECT_TRUE(rc::check([&](const std::vector<std::vector<float>>& vectors) {
        Entries entries;
        for (const std::vector<float>& vector : vectors) {
            const auto letter = [] { return std::string(1, *rc::gen::inRange('a', 'd')); };
            entries.emplace_back(FeatureKey{letter(), letter(), letter()}, vector);
            const FeatureKey& last = entries.back().first;
            model[{last.file_hash, last.encoder, last.preprocessing}] = vector;
        }
        cache.store(entries);
        RC_ASSERT(cache.stats().entries == model.size());
        std::vector<FeatureKey> keys{key("absent")};
        for (const auto& [parts, vector] : model)
            keys.push_back({std::get<0>(parts), std::get<1>(parts), std::get<2>(parts)});
        const auto found = cache.find(keys);
        RC_ASSERT(!found[0]);
        std::size_t i = 0;
        for (const auto& [parts, vector] : model) {
            RC_ASSERT(found[++i].has_value());
            RC_ASSERT(
                std::ranges::equal(std::as_bytes(std::span(*found[i])), std::as_bytes(std::span(vector))));
        }
    }));
    FeatureCache again(folder / "f");
    EXPECT_EQ(again.stats().entries, model.size());
}

TEST(FeatureCache, CountsAndClears) {
    const TemporaryFolder folder;
    FeatureCache cache(folder / "f");
    Entries entries;
    for (int i = 0; i < 1000; ++i)
        entries.emplace_back(key(std::to_string(i), i < 300 ? "clip" : "dino"), std::vector<float>(768, 1.F));
    cache.store(entries);
    const FeatureCache::Stats stats = cache.stats();
    EXPECT_EQ(stats.entries, 1000U);
    EXPECT_GT(stats.bytes_on_disk, 1000U * 768 * 4);
    ASSERT_EQ(stats.encoders.size(), 2U);
    EXPECT_EQ(stats.encoders[0].encoder, "clip");
    EXPECT_EQ(stats.encoders[0].preprocessing, "224");
    EXPECT_EQ(stats.encoders[0].entries, 300U);
    EXPECT_EQ(stats.encoders[1].entries, 700U);
    EXPECT_EQ(cache.clear(), 1000U);
    EXPECT_EQ(cache.stats().entries, 0U);
    EXPECT_LT(cache.stats().bytes_on_disk, 400'000U);
    EXPECT_EQ(cache.clear(), 0U);
    EXPECT_EQ(find(cache, key("1")), std::nullopt);
    store(cache, key("1"), {5});
    EXPECT_EQ(find(cache, key("1")), std::vector<float>{5});
}

TEST(FeatureCache, TheOldestEntriesMakeRoom) {
    const TemporaryFolder folder;
    constexpr std::uint64_t kLimit = 4U << 20U;
    FeatureCache cache(folder / "f", kLimit);
    store(cache, key("again"), std::vector<float>(768, 0.F));
    Entries entries;
    for (int i = 0; i < 5000; ++i) entries.emplace_back(key(std::to_string(i)), std::vector<float>(768, 2.F));
    cache.store(entries);  // 15 MB at once
    EXPECT_LT(fs::file_size(folder / "f"), 2 * kLimit);
    EXPECT_EQ(find(cache, key("again")), std::nullopt);
    EXPECT_EQ(find(cache, key("0")), std::nullopt);
    EXPECT_TRUE(find(cache, key("4999")));
    EXPECT_GT(cache.stats().entries, 1000U);
    for (int i = 0; i < 5000; i += 100) {  // and in pieces
        cache.store(std::span(entries).subspan(static_cast<std::size_t>(i), 100));
        EXPECT_TRUE(find(cache, entries[static_cast<std::size_t>(i)].first));
    }
    EXPECT_LT(fs::file_size(folder / "f"), 2 * kLimit);
    FeatureCache tiny(folder / "tiny", 1);  // nothing fits, and that is no error
    tiny.store(entries);
    EXPECT_EQ(tiny.stats().entries, 0U);
}

TEST(FeatureCache, NamesThatNoEntryUsesMakeRoomToo) {
    const TemporaryFolder folder;
    const fs::path path = folder / "f";
    FeatureCache cache(path, 1U << 20U);
    Entries entries;
    for (int i = 0; i < 2000; ++i)  // each with a network of its own, and all of them in one store
        entries.emplace_back(key("a", "encoder " + std::to_string(i)), std::vector<float>(768, 1.F));
    cache.store(entries);
    const FeatureCache::Stats stats = cache.stats();
    EXPECT_GT(stats.entries, 50U);
    EXPECT_LT(stats.entries, 1000U);
    EXPECT_EQ(count_rows(path, "SELECT count(*) FROM preparation"), stats.encoders.size());
    // A network whose entries went in the middle of a store is still found by those that come behind.
    for (std::size_t i = 0; i < entries.size(); ++i) {
        entries[i].first.file_hash = std::to_string(i);
        entries[i].first.encoder = i == 0 || i == entries.size() - 1 ? "clip" : "dino";
    }
    cache.store(entries);
    EXPECT_EQ(find(cache, entries.front().first), std::nullopt);
    EXPECT_EQ(find(cache, entries.back().first), entries.back().second);
    EXPECT_EQ(count_rows(path, "SELECT count(*) FROM preparation"), 2U);
}

TEST(FeatureCache, EntriesThatAreNotWhatWasStoredAreMissing) {
    const TemporaryFolder folder;
    const fs::path path = folder / "f";
    for (const char* sql :
         {"UPDATE feature SET dimension = 2", "UPDATE feature SET dimension = -1",
          "UPDATE feature SET vector = x'00'", "UPDATE feature SET vector = zeroblob(12)",
          "UPDATE feature SET vector = 'text'", "UPDATE feature SET file = 'b' WHERE file = 'a'",
          "UPDATE preparation SET encoder = 'other'", "UPDATE feature SET checksum = 'x'"}) {
        FeatureCache cache(path);
        cache.clear();
        store(cache, key("a"), {1, 2, 3});
        tamper(path, sql);
        EXPECT_EQ(find(cache, key("a")), std::nullopt) << sql;
        EXPECT_EQ(find(cache, key("b")), std::nullopt) << sql;
        EXPECT_EQ(find(cache, key("a", "other")), std::nullopt) << sql;
        store(cache, key("a"), {4});
        EXPECT_EQ(find(cache, key("a")), std::vector<float>{4}) << sql;
    }
}

TEST(FeatureCache, DefaultPathFollowsTheEnvironment) {
    const auto set = [](const char* name, const char* value) {
        value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
    };
    std::map<const char*, std::optional<std::string>> before;
    for (const char* name : {"GASS_CACHE_DIR", "XDG_CACHE_HOME", "HOME"}) {
        const char* value = std::getenv(name);
        before[name] = value == nullptr ? std::nullopt : std::optional<std::string>(value);
    }
    set("HOME", "/her");
    set("XDG_CACHE_HOME", nullptr);
    set("GASS_CACHE_DIR", nullptr);
    EXPECT_EQ(FeatureCache::default_path(), "/her/.cache/gass/features.sqlite");
    set("XDG_CACHE_HOME", "relative");
    EXPECT_EQ(FeatureCache::default_path(), "/her/.cache/gass/features.sqlite");
    set("XDG_CACHE_HOME", "/caches");
    EXPECT_EQ(FeatureCache::default_path(), "/caches/gass/features.sqlite");
    set("GASS_CACHE_DIR", "mine");
    EXPECT_EQ(FeatureCache::default_path(), "mine/features.sqlite");
    for (const char* name : {"GASS_CACHE_DIR", "XDG_CACHE_HOME", "HOME"}) set(name, nullptr);
    expect_error(ErrorCode::io, "GASS_CACHE_DIR", [] { FeatureCache::default_path(); });
    for (const auto& [name, value] : before) set(name, value ? value->c_str() : nullptr);
}

}  // namespace
}  // namespace gass
