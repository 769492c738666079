#include "engine/target.h"

#include "support/expect_error.h"

#include <gtest/gtest.h>

namespace gass {
namespace {

TEST(Target, IsAMetricAndANumber) {
    const Target plain = parse_target("spp=0.18");
    EXPECT_EQ(plain.metric, "spp");
    EXPECT_EQ(plain.value, 0.18);
    EXPECT_FALSE(plain.relative);
    const Target relative = parse_target("vendi=x1.3");
    EXPECT_TRUE(relative.relative);
    EXPECT_EQ(relative.value, 1.3);
    for (const char* wrong :
         {"", "spp", "spp=", "spp=x", "fid=3", "vendi=-1", "vendi=nan", "vendi=1.3x", "pairwise=0"})
        test::expect_error(ErrorCode::usage, "[--target]", [&] { parse_target(wrong); });
}

}  // namespace
}  // namespace gass
