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
        test::expect_error(ErrorCode::usage, "[--output]",
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
    std::ofstream(parent / "notes.txt") << "x";
    EXPECT_EQ(take(), "0042-car");
    { const OutputFolder unused = OutputFolder::numbered(parent, "car"); }
    EXPECT_FALSE(fs::exists(parent / "0043-car"));
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
