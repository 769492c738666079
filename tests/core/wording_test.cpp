#include "core/wording.h"

#include <gtest/gtest.h>

namespace gass {
namespace {

TEST(Counted, OneIsSingular) {
    EXPECT_EQ(counted(0, "image"), "0 images");
    EXPECT_EQ(counted(1, "image"), "1 image");
    EXPECT_EQ(counted(2, "image"), "2 images");
    EXPECT_EQ(counted(1, "entry", "entries"), "1 entry");
    EXPECT_EQ(counted(3, "entry", "entries"), "3 entries");
}

TEST(Nearest, FindsSlips) {
    const std::vector<std::string_view> known{"none", "gass", "gass-paper", "interval", "cads", "clip_score"};
    EXPECT_EQ(nearest("gas", known), "gass");    // a letter left out
    EXPECT_EQ(nearest("gasss", known), "gass");  // one too many
    EXPECT_EQ(nearest("cass", known), "gass");   // another one: the first of two that are as near
    EXPECT_EQ(nearest("nnoe", known), "none");   // two swapped
    EXPECT_EQ(nearest("GASS", known), "gass");   // capitals
    EXPECT_EQ(nearest("CLIPScore", known), "clip_score");
    EXPECT_EQ(nearest("int", known), "interval");  // a beginning
    EXPECT_EQ(nearest("gass-paprr", known), "gass-paper");
}

TEST(Nearest, FindsNothingWhereNothingIsNear) {
    const std::vector<std::string_view> known{"none", "gass", "pg", "k"};
    for (const char* far : {"", "x", "in", "paint", "nothing", "gradient", "no such method"})
        EXPECT_EQ(nearest(far, known), std::nullopt) << far;
    EXPECT_EQ(nearest(std::string(100'000, 'g'), known), std::nullopt);
    EXPECT_EQ(nearest("gass", {}), std::nullopt);
}

TEST(DidYouMean, IsPartOfAMessage) {
    EXPECT_EQ(did_you_mean("stepz", std::vector<std::string>{"steps", "seed"}), " (did you mean \"steps\"?)");
    EXPECT_EQ(did_you_mean("zebra", std::vector<std::string>{"steps", "seed"}), "");
}

}  // namespace
}  // namespace gass
