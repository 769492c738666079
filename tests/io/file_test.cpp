#include "io/file.h"

#include "support/expect_error.h"
#include "support/full_disk.h"
#include "support/temporary_folder.h"

#include <sys/stat.h>

namespace gass {
namespace {

using test::expect_error;
using test::TemporaryFolder;

TEST(File, MapsWhatIsThere) {
    const TemporaryFolder folder;
    const MappedFile file(folder.write("x", "hello"));
    ASSERT_EQ(file.bytes().size(), 5U);
    EXPECT_EQ(static_cast<char>(file.bytes()[4]), 'o');
    EXPECT_TRUE(MappedFile(folder.write("empty", "")).bytes().empty());
    EXPECT_EQ(read_text_file(folder / "x"), "hello");
}

TEST(File, OnlyRegularFilesAreOpened) {
    const TemporaryFolder folder;
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    for (const auto open : {+[](const std::filesystem::path& path) { (void)MappedFile(path); },
                            +[](const std::filesystem::path& path) { (void)read_text_file(path); }}) {
        expect_error(ErrorCode::model_not_found, "No such file", [&] { open(folder / "absent"); });
        expect_error(ErrorCode::model_not_found, "Not a directory",
                     [&] { open(folder.write("f", "") / "below"); });
        expect_error(ErrorCode::model_invalid, "found a folder", [&] { open(folder.path()); });
        expect_error(ErrorCode::model_invalid, "found a pipe",
                     [&] { open(folder / "pipe"); });  // and does not wait
        expect_error(ErrorCode::model_invalid, "found a device", [&] { open("/dev/zero"); });
    }
}

TEST(File, TextHasALimit) {
    const TemporaryFolder folder;
    folder.write("x", "12345");
    EXPECT_EQ(read_text_file(folder / "x", 5), "12345");
    expect_error(ErrorCode::model_invalid, "at most 4", [&] { read_text_file(folder / "x", 4); });
}

TEST(AtomicFile, AppearsWholeOrNotAtAll) {
    const TemporaryFolder folder;
    {
        AtomicFile file(folder / "x");
        file.write("half");
    }
    EXPECT_EQ(folder.count_files(), 0U);
    folder.write("x", "old");
    {
        AtomicFile file(folder / "x");
        file.write("new");
        EXPECT_EQ(read_text_file(folder / "x"), "old");
        file.commit();
    }
    EXPECT_EQ(read_text_file(folder / "x"), "new");
    EXPECT_EQ(folder.count_files(), 1U);
}

TEST(AtomicFile, ResultsAreReadableAsTheUmaskSays) {
    const TemporaryFolder folder;
    const mode_t old = ::umask(027);
    AtomicFile file(folder / "x");
    file.commit();
    ::umask(old);
    EXPECT_EQ(std::filesystem::status(folder / "x").permissions(), std::filesystem::perms(0640));
}

TEST(AtomicFile, WhatAKilledOneLeftGoesWhenTheFileIsWrittenAgain) {
    const TemporaryFolder folder;
    folder.write("x", "old");
    folder.write(".x.gass-0", "left");
    {
        AtomicFile file(folder / "x");
        file.write("new");
        file.commit();
    }
    EXPECT_EQ(read_text_file(folder / "x"), "new");
    EXPECT_EQ(folder.count_files(), 1U);
}

TEST(AtomicFile, AFullDiskLeavesNothingBehind) {
    const TemporaryFolder folder;
    const std::string data(3'000'000, 'x');
    test::with_full_disk_after(1'000'000, [&] {
        expect_error(ErrorCode::io, "cannot write the file", [&] {
            AtomicFile file(folder / "x");
            file.write(data);
            file.commit();
        });
    });
    EXPECT_EQ(folder.count_files(), 0U);
    expect_error(ErrorCode::io, "cannot create the file", [&] { AtomicFile(folder / "absent" / "x"); });
    expect_error(ErrorCode::io, "cannot name the file", [&] { AtomicFile(folder.path()).commit(); });
}

}  // namespace
}  // namespace gass
