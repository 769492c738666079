#include "guidance/text/named_axes.h"

#include "support/expect_error.h"

#include <gtest/gtest.h>

namespace gass {
namespace {

TEST(NamedAxes, AreTwoTextsEach) {
    EXPECT_TRUE(parse_axes("").empty());
    EXPECT_TRUE(parse_axes(" ; ").empty());
    const auto axes = parse_axes(" at night | at noon;red|blue;");
    ASSERT_EQ(axes.size(), 2U);
    EXPECT_EQ(axes[0].from, "at night");
    EXPECT_EQ(axes[0].to, "at noon");
    EXPECT_EQ(axes[1].to, "blue");
    for (const char* wrong : {"red", "red|", "|blue", "a|b|c", "a|b; c"})
        test::expect_error(ErrorCode::usage, "[`vary`]", [&] { parse_axes(wrong); });
    std::string many;
    for (int i = 0; i < 17; ++i) many += "a|b;";
    test::expect_error(ErrorCode::usage, "at most 16", [&] { parse_axes(many); });
}

}  // namespace
}  // namespace gass
