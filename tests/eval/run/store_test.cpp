#include "eval/run/store.h"

#include "eval/run/fake_suite.h"
#include "eval/run/runner.h"
#include "support/expect_error.h"
#include "support/full_disk.h"
#include "support/temporary_folder.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <random>

namespace gass::eval {
namespace {

using test::expect_error;
using test::TemporaryFolder;

const std::vector<std::string> kEncoders{kFakeEncoder};

std::string content_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Runs `action` in another process, which then waits to be killed; returns it once that is all it does.
template <class Action>
pid_t in_another_process(const Action& action) {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        action();
        const char done = 1;
        if (::write(ready[1], &done, 1) != 1) ::_exit(1);
        ::pause();
        ::_exit(0);
    }
    char done = 0;
    EXPECT_EQ(::read(ready[0], &done, 1), 1);
    ::close(ready[0]);
    ::close(ready[1]);
    return child;
}

void end(pid_t child) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
}

TEST(Store, KeepsAGroupWithItsFilesAndFeatures) {
    const TemporaryFolder folder;
    const FakeRun run(1);
    const WorkItem& item = run.items[2];
    const std::string place = folder_of(run.suite, item);
    EXPECT_EQ(place, "pictures/a/gass/00000-00");
    {
        Store store(folder.path());
        EXPECT_FALSE(store.is_kept(item.key, kEncoders));
        store.keep(item.key, place, fake_group(item));
    }
    Store store(folder.path());
    EXPECT_TRUE(store.is_kept(item.key, kEncoders));
    EXPECT_EQ(store.find(item.key)->record, fake_group(item).record);
    EXPECT_EQ(content_of(folder / place / "0000.png"), item.key);
    const ImageFeatures features = store.features(item.key, kFakeEncoder).value();
    EXPECT_EQ(features.rows, 2);
    EXPECT_EQ(features.columns, 3);
    EXPECT_EQ(features.numbers, fake_group(item).features[0].numbers);
    EXPECT_FALSE(store.features(item.key, "another"));
}

TEST(Store, GroupsWithoutPicturesAreDoneOnceEveryEncoderHasSeenThem) {
    const TemporaryFolder folder;
    const FakeRun run(1);
    Store store(folder.path());
    MadeGroup group = fake_group(run.items[0]);
    group.files.clear();
    store.keep(run.items[0].key, "somewhere", group);
    EXPECT_TRUE(store.is_kept(run.items[0].key, kEncoders));
    EXPECT_FALSE(store.is_kept(run.items[0].key, std::vector<std::string>{kFakeEncoder, "new"}));
    store.keep(run.items[1].key, "somewhere", fake_group(run.items[1]));
    EXPECT_TRUE(
        store.is_kept(run.items[1].key, std::vector<std::string>{kFakeEncoder, "new"}));  // can be shown
    std::filesystem::remove_all(folder / "somewhere");
    EXPECT_FALSE(store.is_kept(run.items[1].key, std::vector<std::string>{kFakeEncoder, "new"}));
}

TEST(Store, AGroupWhosePicturesGaveWayIsForgotten) {
    const TemporaryFolder folder;
    const FakeRun run(1);
    Store store(folder.path());
    store.keep(run.items[0].key, "place", fake_group(run.items[0]));
    store.keep(run.items[1].key, "place", fake_group(run.items[1]));
    EXPECT_FALSE(store.find(run.items[0].key));
    EXPECT_TRUE(store.find(run.items[1].key));
}

TEST(Store, ClaimsOfALivingRunnerHoldAndThoseOfADeadOneEnd) {
    const TemporaryFolder folder;
    const FakeRun run(1);
    const std::string& key = run.items[0].key;
    const pid_t child = in_another_process([&] {
        auto* store = new Store(folder.path());  // never closed, as when a process is killed
        if (store->claim(key, kEncoders, false) != Store::Claim::taken) ::_exit(1);
    });
    Store store(folder.path());
    EXPECT_EQ(store.claim(key, kEncoders, false), Store::Claim::held_by_another);
    EXPECT_EQ(store.claim(run.items[1].key, kEncoders, false), Store::Claim::taken);
    end(child);
    EXPECT_EQ(store.claim(key, kEncoders, false), Store::Claim::taken);
    store.give_back(key);
    store.keep(key, "place", fake_group(run.items[0]));
    EXPECT_EQ(store.claim(key, kEncoders, true), Store::Claim::settled);
}

TEST(Store, FailuresAreKeptUntilTheGroupSucceeds) {
    const TemporaryFolder folder;
    const FakeRun run(1);
    const std::string& key = run.items[0].key;
    Store store(folder.path());
    store.keep_failure(key, "no luck");
    EXPECT_EQ(store.failure(key), "no luck");
    EXPECT_EQ(store.claim(key, kEncoders, false), Store::Claim::settled);
    EXPECT_EQ(store.claim(key, kEncoders, true), Store::Claim::taken);
    store.keep(key, "place", fake_group(run.items[0]));
    EXPECT_FALSE(store.failure(key));
}

TEST(Store, TakesOverWhatShardsHave) {
    const TemporaryFolder folder;
    const FakeRun run(2);
    Store store(folder.path());
    store.keep(run.items[0].key, "own", fake_group(run.items[0]));
    {
        Store shard(folder / "shard-0-of-2");
        for (const std::size_t i : {0U, 1U, 2U})
            shard.keep(run.items[i].key, folder_of(run.suite, run.items[i]), fake_group(run.items[i]));
        shard.keep_failure(run.items[3].key, "no luck");
    }
    Store shard(folder / "shard-0-of-2");
    EXPECT_EQ(store.take_over(shard), 2U);
    EXPECT_EQ(store.take_over(shard), 0U);
    EXPECT_EQ(store.find(run.items[0].key)->folder, "own");
    EXPECT_EQ(store.find(run.items[1].key)->folder, "shard-0-of-2/pictures/a/ig/00000-00");
    EXPECT_TRUE(
        store.is_kept(run.items[2].key, std::vector<std::string>{"another"}));  // its pictures are found
    EXPECT_EQ(store.features(run.items[2].key, kFakeEncoder)->rows, 2);
    EXPECT_EQ(store.failure(run.items[3].key), "no luck");
}

TEST(Store, RefusesFilesThatAreNone) {
    const TemporaryFolder folder;
    folder.write("a/eval.sqlite", std::string(5000, 'x'));
    expect_error(ErrorCode::model_invalid, "`output`", [&] { Store store(folder / "a"); });
    {
        std::filesystem::create_directories(folder / "b");
        Database other(folder / "b" / "eval.sqlite", 0);
        other.execute("CREATE TABLE mine(a)");
    }
    expect_error(ErrorCode::model_invalid, "something else", [&] { Store store(folder / "b"); });
    { Store store(folder / "c"); }
    Database(folder / "c" / "eval.sqlite", 0).execute("PRAGMA user_version = 77");
    expect_error(ErrorCode::model_invalid, "another version", [&] { Store store(folder / "c"); });
    folder.write("file", "");
    expect_error(ErrorCode::io, "cannot make the folder", [&] { Store store(folder / "file"); });
}

/// All that a run has, as its reports read it; the code of the error if that is refused.
struct Read {
    std::vector<std::string> values;
    std::optional<ErrorCode> error;
};

Read everything_in(const std::filesystem::path& folder, const FakeRun& run) {
    Read read;
    try {
        Store store(folder);
        for (const WorkItem& item : run.items) {
            const std::optional<Store::Kept> kept = store.find(item.key);
            read.values.push_back(kept ? kept->folder + kept->record.dump() : "");
            const std::optional<ImageFeatures> features = store.features(item.key, kFakeEncoder);
            const auto* numbers = features ? reinterpret_cast<const char*>(features->numbers.data()) : "";
            read.values.emplace_back(numbers, features ? features->numbers.size() * sizeof(float) : 0);
            read.values.push_back(store.failure(item.key).value_or(""));
        }
    } catch (const Error& error) {
        read.error = error.code();
    }
    return read;
}

TEST(Store, DamageIsFoundOrChangesNothing) {
    const TemporaryFolder folder;
    const FakeRun run(6);
    {
        Store store(folder.path());
        for (const WorkItem& item : run.items) {
            if (&item == &run.items.back()) {
                store.keep_failure(item.key, "no luck");
            } else {
                MadeGroup group = fake_group(item);
                group.files.clear();
                group.features[0].columns = 300;
                group.features[0].numbers.assign(600, static_cast<float>(item.prompt));
                store.keep(item.key, "", group);
            }
        }
    }
    const std::vector<std::string> sound = everything_in(folder.path(), run).values;
    const std::string file = content_of(folder / Store::kFile);
    std::mt19937 random(3);
    std::size_t found = 0;
    constexpr int kDamages = 400;
    for (int i = 0; i < kDamages; ++i) {
        std::string damaged = file;
        for (unsigned flips = 0; flips <= random() % 3; ++flips)
            damaged[random() % damaged.size()] ^= static_cast<char>(1U << (random() % 8));
        folder.write("damaged/eval.sqlite", damaged);
        const Read read = everything_in(folder / "damaged", run);
        std::filesystem::remove_all(folder / "damaged");
        if (read.error) {
            EXPECT_EQ(to_string(*read.error), "model_invalid") << i;
            ++found;
        } else {
            EXPECT_EQ(read.values, sound) << i;
        }
    }
    EXPECT_GT(found, kDamages / 4U);  // most bytes are used
}

TEST(Store, RecordsOfAnotherShapeAreRefused) {
    const TemporaryFolder folder;
    const FakeRun run(1);
    for (const Json& record :
         {Json(7), Json{{"images", 3}}, Json{{"images", {{{"file", "../../x"}}}}, {"timings", 1}}}) {
        const auto place = folder / std::to_string(record.dump().size());
        Store store(place);
        MadeGroup group = fake_group(run.items[0]);
        group.record = record;
        group.files.clear();
        store.keep(run.items[0].key, "", group);
        expect_error(ErrorCode::model_invalid, "begin a new run", [&] { store.find(run.items[0].key); });
        expect_error(ErrorCode::model_invalid, "begin a new run", [&] { Store again(place); });
    }
}

TEST(Store, ShapesThatContradictTheRecordAreRefused) {
    const TemporaryFolder folder;
    const FakeRun run(1);
    MadeGroup group = fake_group(run.items[0]);
    group.features[0].rows = 3;  // of two images
    group.features[0].numbers.resize(9);
    {
        Store store(folder.path());
        store.keep(run.items[0].key, "place", group);
    }
    expect_error(ErrorCode::model_invalid, "what an encoder saw", [&] { Store again(folder.path()); });
}

TEST(Store, ARunnersNameLeadsNowhere) {
    const TemporaryFolder folder;
    const FakeRun run(1);
    folder.write("victim.lock", "stays");
    Store store(folder / "a" / "run");
    {
        Database database(folder / "a" / "run" / "eval.sqlite", 1000);
        Statement(database, "INSERT INTO claim VALUES(?, '../../../victim')")
            .bind(std::string_view(run.items[0].key))
            .step();
    }
    EXPECT_EQ(store.claim(run.items[0].key, kEncoders, false), Store::Claim::taken);
    EXPECT_TRUE(std::filesystem::exists(folder / "victim.lock"));
}

TEST(Store, LosesNothingOnAFullDisk) {
    const TemporaryFolder folder;
    const FakeRun run(1);
    Store store(folder.path());
    store.keep(run.items[0].key, "first", fake_group(run.items[0]));
    MadeGroup large = fake_group(run.items[1]);
    large.files[0].bytes.resize(1 << 20);
    test::with_full_disk_after(300'000, [&] {
        expect_error(ErrorCode::io, "", [&] { store.keep(run.items[1].key, "second", large); });
    });
    EXPECT_TRUE(store.is_kept(run.items[0].key, kEncoders));
    EXPECT_FALSE(store.find(run.items[1].key));
    EXPECT_TRUE(std::filesystem::is_empty(folder / "second"));
    store.keep(run.items[1].key, "second", large);
    EXPECT_TRUE(store.is_kept(run.items[1].key, kEncoders));
}

TEST(Store, RemembersItsRun) {
    const TemporaryFolder folder;
    EXPECT_FALSE(Store::remembered(folder.path()));
    EXPECT_FALSE(Store::exists(folder.path()));
    const Json first{{"suite", "small"}};
    const Json longer{{"suite", "small"}, {"limit", 4}};
    {
        Store store(folder.path());
        EXPECT_FALSE(Store::remembered(folder.path()));
        store.remember(first, std::nullopt);
        store.remember(first, std::nullopt);  // two that begin the same run
        EXPECT_EQ(Store::remembered(folder.path()), first);
        expect_error(ErrorCode::usage, "another process has just begun another run",
                     [&] { store.remember(longer, std::nullopt); });
        store.remember(longer, first);
    }
    EXPECT_EQ(Store::remembered(folder.path()), longer);
    Database(folder / Store::kFile, 1000).execute("UPDATE remembered SET run = '{}'");
    expect_error(ErrorCode::model_invalid, "what is remembered of the run is damaged",
                 [&] { Store::remembered(folder.path()); });
}

TEST(Store, OpensOnesThatRememberNothing) {
    const TemporaryFolder folder;
    const FakeRun run(1);
    {
        Store store(folder.path());
        EXPECT_EQ(store.size(), 0U);
        store.keep(run.items[0].key, folder_of(run.suite, run.items[0]), fake_group(run.items[0]));
    }
    Database(folder / Store::kFile, 1000).execute("DROP TABLE remembered");
    EXPECT_FALSE(Store::remembered(folder.path()));
    Store store(folder.path());
    EXPECT_EQ(store.size(), 1U);
}

}  // namespace
}  // namespace gass::eval
