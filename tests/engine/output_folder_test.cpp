#include "engine/output_folder.h"

#include "support/expect_error.h"
#include "support/temporary_folder.h"

#include <fstream>

namespace gass {
namespace {

namespace fs = std::filesystem;

TEST(OutputFolder, LeavesNothingBehindUnlessUsed) {
    const test::TemporaryFolder temporary;
    { const OutputFolder folder(temporary.path() / "a" / "b" / "c"); }
    EXPECT_FALSE(fs::exists(temporary.path() / "a"));
    {
        const OutputFolder folder(temporary.path() / "a" / "b");
        std::ofstream(folder.path() / "x") << "x";
    }
    EXPECT_TRUE(fs::exists(temporary.path() / "a" / "b" / "x"));
    { const OutputFolder folder(temporary.path() / "a"); }
    EXPECT_TRUE(fs::exists(temporary.path() / "a" / "b" / "x"));
}

TEST(OutputFolder, KeepsAnEmptyFolderThatWasThere) {
    const test::TemporaryFolder temporary;
    fs::create_directory(temporary.path() / "mine");
    { const OutputFolder folder(temporary.path() / "mine"); }
    EXPECT_TRUE(fs::exists(temporary.path() / "mine"));
}

TEST(OutputFolder, RefusesAFile) {
    const test::TemporaryFolder temporary;
    std::ofstream(temporary.path() / "file") << "x";
    for (const char* place : {"file", "file/below", "file/far/below"}) {
        test::expect_error(ErrorCode::usage, "[`output`]",
                           [&] { const OutputFolder folder(temporary.path() / place); });
    }
    EXPECT_TRUE(fs::is_regular_file(temporary.path() / "file"));
}

TEST(OutputFolder, NumbersGoUp) {
    const test::TemporaryFolder temporary;
    const fs::path parent = temporary.path() / "out";
    const auto take = [&] {
        const OutputFolder folder = OutputFolder::numbered(parent, "car");
        std::ofstream(folder.path() / "x") << "x";
        return folder.path().filename().string();
    };
    EXPECT_EQ(take(), "0001-car");
    EXPECT_EQ(take(), "0002-car");
    fs::create_directory(parent / "0041-dog");
    std::ofstream(parent / "0041-dog" / "x") << "x";
    std::ofstream(parent / "notes.txt") << "x";
    EXPECT_EQ(take(), "0042-car");
    { const OutputFolder unused = OutputFolder::numbered(parent, "car"); }
    EXPECT_FALSE(fs::exists(parent / "0043-car"));
}

TEST(OutputFolder, IsOneProcessesAtATime) {
    const test::TemporaryFolder temporary;
    const fs::path path = temporary.path() / "out";
    const OutputFolder first(path);
    try {
        const OutputFolder second(path);
        FAIL() << "two have it";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::usage);
        EXPECT_THAT(error.what(), testing::HasSubstr("another process"));
    }
    const OutputFolder below(path / "0000-car");  // has a lock of its own
}

TEST(OutputFolder, SweepsWhatOneLeftThatWasKilled) {
    const test::TemporaryFolder temporary;
    const fs::path parent = temporary.path() / "out";
    fs::create_directories(parent / "0001-car");                    // killed before it wrote
    fs::create_directories(parent / "0002-car" / ".gass-writing");  // while it wrote
    std::ofstream(parent / "0002-car" / ".gass-writing" / "0000.png") << "half";
    fs::create_directories(parent / "0003-car" / ".gass-ready");  // while the set got its places
    std::ofstream(parent / "0003-car" / ".gass-ready" / "0001.png") << "new";
    std::ofstream(parent / "0003-car" / "0000.png") << "new";
    fs::create_directories(parent / "empty");  // somebody's
    { const OutputFolder next = OutputFolder::numbered(parent, "dog"); }
    EXPECT_FALSE(fs::exists(parent / "0001-car"));
    EXPECT_FALSE(fs::exists(parent / "0002-car"));
    EXPECT_TRUE(fs::exists(parent / "0003-car" / "0001.png"));
    EXPECT_FALSE(fs::exists(parent / "0003-car" / ".gass-ready"));
    EXPECT_TRUE(fs::exists(parent / "empty"));
}

TEST(Slug, KeepsWhatFileNamesTake) {
    EXPECT_EQ(slug_of("A red car, at night!"), "a-red-car-at-night");
    EXPECT_EQ(slug_of("../../etc/passwd"), "etc-passwd");
    EXPECT_EQ(slug_of("東京"), "group");
    EXPECT_EQ(slug_of(""), "group");
    EXPECT_LE(slug_of(std::string(1000, 'x')).size(), 40U);
}

}  // namespace
}  // namespace gass
