#include "cache/feature_cache.h"
#include "core/log.h"
#include "io/file.h"
#include "support/expect_error.h"
#include "support/full_disk.h"
#include "support/temporary_folder.h"

#include <rapidcheck/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <string>

namespace gass {
namespace {

namespace fs = std::filesystem;
using test::expect_error;
using test::TemporaryFolder;
using Entries = std::vector<std::pair<FeatureKey, std::vector<float>>>;

/// Warnings about files that were damaged on purpose would fill the log.
class FeatureCacheDamage : public testing::Test {
  protected:
    FeatureCacheDamage() { log::set_level(log::Level::error); }
    ~FeatureCacheDamage() override { log::set_level(log::Level::warn); }

    Entries entries(int count) const {
        Entries result;
        for (int i = 0; i < count; ++i)
            result.emplace_back(FeatureKey{std::to_string(i), "clip", "224"},
                                std::vector<float>(768, static_cast<float>(i)));
        return result;
    }

    static std::vector<FeatureKey> keys(const Entries& entries) {
        std::vector<FeatureKey> result;
        for (const auto& [key, vector] : entries) result.push_back(key);
        return result;
    }

    /// Reads all, of which every one must be right or missing; returns how many are there.
    static std::size_t count_right(FeatureCache& cache, const Entries& stored) {
        const auto found = cache.find(keys(stored));
        std::size_t count = 0;
        for (std::size_t i = 0; i < stored.size(); ++i) {
            if (!found[i]) continue;
            EXPECT_EQ(*found[i], stored[i].second);
            ++count;
        }
        return count;
    }

    void expect_usable(FeatureCache& cache) const {
        const Entries some = entries(20);
        cache.store(some);
        EXPECT_EQ(count_right(cache, some), some.size());
    }

    static void run_sql(const fs::path& path, const char* sql) {
        sqlite3* connection = nullptr;
        ASSERT_EQ(sqlite3_open(path.c_str(), &connection), SQLITE_OK);
        EXPECT_EQ(sqlite3_exec(connection, sql, nullptr, nullptr, nullptr), SQLITE_OK)
            << sqlite3_errmsg(connection);
        sqlite3_close(connection);
    }

    TemporaryFolder folder_;
    fs::path path_ = folder_ / "features.sqlite";
};

TEST_F(FeatureCacheDamage, OtherFilesAreSetAside) {
    for (const std::string& content : {std::string(2000, 'x'), std::string(100'000, '\xA5'),
                                       std::string("SQLite format 3\0", 16) + std::string(5000, '\xFF')}) {
        folder_.write("features.sqlite", content);
        folder_.write("features.sqlite-wal", "garbage too");
        FeatureCache cache(path_);
        expect_usable(cache);
        EXPECT_EQ(read_text_file(folder_ / "features.sqlite.damaged"), content);
        EXPECT_EQ(FeatureCache(path_).stats().entries, 20U);
        fs::remove(path_);
    }
    folder_.write("features.sqlite", "");  // nothing was in it: nothing to keep
    FeatureCache cache(path_);
    expect_usable(cache);
}

TEST_F(FeatureCacheDamage, OtherDatabasesAreSetAside) {
    for (const char* sql :
         {"CREATE TABLE mine(x)",
          "CREATE TABLE feature(file, preparation); PRAGMA application_id = 1734439795",
          "PRAGMA application_id = 1734439795; PRAGMA user_version = 1; CREATE TABLE feature(x)"}) {
        fs::remove(path_);
        run_sql(path_, sql);
        const bool of_ours = std::string_view(sql).starts_with("CREATE TABLE feature");
        fs::remove(folder_ / "features.sqlite.damaged");
        FeatureCache cache(path_);
        expect_usable(cache);
        EXPECT_EQ(fs::exists(folder_ / "features.sqlite.damaged"), !of_ours) << sql;
    }
    {
        FeatureCache cache(path_);
        expect_usable(cache);
    }
    run_sql(path_, "CREATE TRIGGER t AFTER INSERT ON feature BEGIN DELETE FROM feature; END");
    FeatureCache cache(path_);
    expect_usable(cache);
}

TEST_F(FeatureCacheDamage, AnotherVersionIsReplaced) {
    { FeatureCache(path_).store(entries(20)); }
    run_sql(path_, "PRAGMA user_version = 2");
    FeatureCache cache(path_);
    EXPECT_EQ(cache.stats().entries, 0U);
    EXPECT_FALSE(fs::exists(folder_ / "features.sqlite.damaged"));
    expect_usable(cache);
}

TEST_F(FeatureCacheDamage, EveryTruncationLeavesAUsableCache) {
    const Entries stored = entries(100);
    { FeatureCache(path_).store(stored); }
    const std::string whole = read_text_file(path_);
    for (std::size_t length = 0; length < whole.size(); length += whole.size() / 37 + 1) {
        for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(path_.string() + suffix);
        folder_.write("features.sqlite", whole.substr(0, length));
        FeatureCache cache(path_);
        count_right(cache, stored);
        expect_usable(cache);
    }
}

TEST_F(FeatureCacheDamage, OverwrittenBytesNeverMixValuesUp) {
    const Entries stored = entries(60);
    { FeatureCache(path_).store(stored); }
    const std::string whole = read_text_file(path_);
    EXPECT_TRUE(rc::check([&] {
        std::string bytes = whole;
        const auto page = *rc::gen::inRange<std::size_t>(0, bytes.size() / 32768);
        const auto start =
            page * 32768 + *rc::gen::inRange<std::size_t>(0, 600);  // where pages keep their books
        const auto length = *rc::gen::inRange<std::size_t>(1, 400);
        const auto garbage = *rc::gen::container<std::string>(length, rc::gen::arbitrary<char>());
        bytes.replace(start, garbage.size(), garbage);
        for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(path_.string() + suffix);
        folder_.write("features.sqlite", bytes);
        FeatureCache cache(path_);
        count_right(cache, stored);
        expect_usable(cache);
        RC_ASSERT(cache.stats().entries <= stored.size() + 20U);  // a count that meets damage begins anew
    }));
}

TEST_F(FeatureCacheDamage, DamageWhileItIsOpenIsFound) {
    const Entries stored = entries(200);
    { FeatureCache(path_).store(stored); }
    FeatureCache first(path_);
    FeatureCache second(path_);
    {
        std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
        for (int page = 1; page < 20; ++page) {
            file.seekp(page * 32768);
            file << std::string(64, '\xEE');
        }
    }
    EXPECT_EQ(count_right(first, stored), 0U);
    first.store(stored);
    EXPECT_EQ(count_right(second, stored), stored.size());  // takes the new one, and does not begin another
    EXPECT_EQ(FeatureCache(path_).stats().entries, stored.size());
}

TEST_F(FeatureCacheDamage, AFullDiskIsAnErrorAndHarmless) {
    FeatureCache cache(path_);
    const Entries some = entries(20);
    cache.store(some);
    test::with_full_disk_after(1'000'000, [&] {
        expect_error(ErrorCode::io, "cannot use the database", [&] { cache.store(entries(2000)); });
        EXPECT_EQ(count_right(cache, some), some.size());
    });
    EXPECT_EQ(cache.stats().entries, some.size());
    cache.store(entries(2000));
    EXPECT_EQ(cache.stats().entries, 2000U);
}

TEST_F(FeatureCacheDamage, WhatCouldNotBeBegunAnewIsTriedAgain) {
    const Entries some = entries(20);
    const std::vector<std::function<void(FeatureCache&)>> uses{
        [&](FeatureCache& cache) { cache.find(keys(some)); }, [&](FeatureCache& cache) { cache.store(some); },
        [](FeatureCache& cache) { cache.stats(); }, [](FeatureCache& cache) { cache.clear(); }};
    for (std::size_t last = 0; last < uses.size(); ++last) {
        { FeatureCache(path_).store(some); }
        FeatureCache cache(path_);
        std::fstream(path_, std::ios::binary | std::ios::in | std::ios::out)
            << std::string(fs::file_size(path_), '\xEE');
        test::with_full_disk_after(0, [&] {  // the damaged file is set aside, but there is no new one
            for (const auto& use : uses) expect_error(ErrorCode::io, "", [&] { use(cache); });
        });
        EXPECT_TRUE(fs::remove(path_.string() + ".damaged"));
        uses[last](cache);
        expect_usable(cache);
    }
}

TEST_F(FeatureCacheDamage, PlacesThatCannotBeWrittenAreErrors) {
    folder_.write("file", "x");
    expect_error(ErrorCode::io, "cannot make the folder", [&] { FeatureCache(folder_ / "file" / "f"); });
    fs::create_directories(folder_ / "folder" / "f");
    expect_error(ErrorCode::io, "cannot open the database", [&] { FeatureCache(folder_ / "folder" / "f"); });
    if (::geteuid() == 0) return;  // whom permissions do not stop
    fs::permissions(folder_ / "folder", fs::perms::owner_read | fs::perms::owner_exec);
    expect_error(ErrorCode::io, "cannot", [&] { FeatureCache(folder_ / "folder" / "g"); });
    fs::permissions(folder_ / "folder", fs::perms::owner_all);
}

}  // namespace
}  // namespace gass
