#include "io/file_set.h"

#include "io/file.h"
#include "support/expect_error.h"
#include "support/full_disk.h"
#include "support/temporary_folder.h"

#include <rapidcheck/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <map>
#include <random>
#include <thread>

namespace gass {
namespace {

namespace fs = std::filesystem;
using test::expect_error;
using test::TemporaryFolder;

std::span<const std::byte> bytes_of(const std::string& text) {
    return std::as_bytes(std::span(text));
}

/// Everything below a folder, hidden or not.
std::map<std::string, std::string> contents(const fs::path& folder) {
    std::map<std::string, std::string> found;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
        if (!entry.is_directory())
            found[entry.path().lexically_relative(folder).generic_string()] = read_text_file(entry.path());
        else if (fs::is_empty(entry.path()))
            found[entry.path().lexically_relative(folder).generic_string() + "/"] = "";
    }
    return found;
}

void write_set(const fs::path& folder, const std::map<std::string, std::string>& files,
               const std::vector<std::string>& surplus = {}) {
    const auto lock = FolderLock::take(folder, 10);
    ASSERT_TRUE(lock.has_value());
    FileSet set(folder);
    for (const auto& [name, text] : files) set.add(name, bytes_of(text));
    set.commit(surplus);
}

TEST(FileSet, AppearsTogetherOverAnEarlierOne) {
    const TemporaryFolder folder;
    folder.write("mine", "mine");
    write_set(folder.path(), {{"a", "1"}, {"b", "1"}, {"c", "1"}});
    {
        FileSet set(folder.path());
        set.add("a", bytes_of("2"));
        EXPECT_EQ(read_text_file(folder / "a"), "1");
    }
    using Files = std::map<std::string, std::string>;
    EXPECT_EQ(contents(folder.path()), (Files{{"a", "1"}, {"b", "1"}, {"c", "1"}, {"mine", "mine"}}));
    write_set(folder.path(), {{"a", "2"}, {"d", "2"}}, {"b", "c", "never there"});
    EXPECT_EQ(contents(folder.path()), (Files{{"a", "2"}, {"d", "2"}, {"mine", "mine"}}));
}

TEST(FileSet, NamesThatLeadOutAreNotFollowed) {
    const TemporaryFolder folder;
    folder.write("victim", "stays");
    fs::create_directories(folder / "set/.gass-ready");
    folder.write("set/.gass-ready/.surplus", "../victim\n..\n/etc\n");
    folder.write("set/.gass-ready/a", "1");
    settle_file_set(folder / "set");
    EXPECT_EQ(read_text_file(folder / "victim"), "stays");
    EXPECT_EQ(read_text_file(folder / "set/a"), "1");
}

TEST(FileSet, ALinkInTheSetsPlaceIsNotFollowed) {
    const TemporaryFolder folder;
    folder.write("victim/a", "stays");
    fs::create_directories(folder / "set");
    fs::create_directory_symlink(folder / "victim", folder / "set/.gass-writing");
    fs::create_directory_symlink(folder / "victim", folder / "set/.gass-ready");
    settle_file_set(folder / "set");
    EXPECT_EQ(read_text_file(folder / "victim/a"), "stays");
}

TEST(FileSet, AFullDiskLeavesTheEarlierOne) {
    const TemporaryFolder folder;
    write_set(folder.path(), {{"a", "1"}, {"b", "1"}});
    const auto before = contents(folder.path());
    test::with_full_disk_after(100'000, [&] {
        expect_error(ErrorCode::io, "cannot write the file", [&] {
            FileSet set(folder.path());
            set.add("a", bytes_of("2"));
            set.add("b", bytes_of(std::string(200'000, '2')));
        });
    });
    EXPECT_EQ(contents(folder.path()), before);
}

/// What a process does that writes one set after another until it is killed: of set n every file says n, and
/// sets of even n have a file more.
[[noreturn]] void write_for_ever(const fs::path& folder) {
    for (int n = 0;; ++n) {
        const auto lock = FolderLock::take(folder, 10);
        FileSet set(folder);
        const std::string text = std::to_string(n);
        for (const char* name : {"a", "b", "c"}) set.add(name, bytes_of(text));
        if (n % 2 == 0) set.add("even", bytes_of(text));
        set.commit(n % 2 == 0 ? std::vector<std::string>{} : std::vector<std::string>{"even"});
    }
}

TEST(FileSet, AKilledWriterLeavesOneWholeSet) {
    const TemporaryFolder folder;
    std::mt19937 random(7);
    constexpr int kKills = 60;
    for (int i = 0; i < kKills; ++i) {
        const pid_t child = ::fork();
        if (child == 0) write_for_ever(folder.path());
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 20'000));
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        settle_file_set(folder.path());
        const auto files = contents(folder.path());
        if (files.empty()) continue;  // killed before the first was there
        const std::string& n = files.at("a");
        EXPECT_EQ(files.at("b"), n);
        EXPECT_EQ(files.at("c"), n);
        const bool is_even = std::stoi(n) % 2 == 0;
        EXPECT_EQ(files.contains("even"), is_even) << n;
        EXPECT_EQ(files.size(), is_even ? 4U : 3U) << n;
    }
}

TEST(FileSet, WhoeverLooksWaitsForOneThatLives) {
    const TemporaryFolder folder;
    const pid_t child = ::fork();
    if (child == 0) write_for_ever(folder.path());
    for (int i = 0; i < 200; ++i) settle_file_set(folder.path());  // neither throws nor takes anything away
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
}

TEST(FolderLock, EndsWithTheProcess) {
    const TemporaryFolder folder;
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const auto lock = FolderLock::take(folder.path());
        if (::write(ready[1], "x", 1) != 1) ::_exit(1);
        ::pause();
    }
    char byte = 0;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    EXPECT_FALSE(FolderLock::take(folder.path()).has_value());
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    EXPECT_TRUE(FolderLock::take(folder.path()).has_value());
}

}  // namespace
}  // namespace gass
