#include "engine/target.h"

#include "support/expect_error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace gass {
namespace {

TEST(Target, IsAMetricAndANumber) {
    const Target plain = Target::parse("spp=0.18");
    EXPECT_EQ(plain.metric, "spp");
    EXPECT_EQ(plain.value, 0.18);
    EXPECT_FALSE(plain.relative);
    const Target relative = Target::parse("vendi=x1.3");
    EXPECT_TRUE(relative.relative);
    EXPECT_EQ(relative.value, 1.3);
    for (const char* wrong :
         {"", "spp", "spp=", "spp=x", "fid=3", "vendi=-1", "vendi=nan", "vendi=1.3x", "pairwise=0"})
        test::expect_error(ErrorCode::usage, "[`target`]", [&] { Target::parse(wrong); });
}

TEST(Target, IsWithinWhatASetCanHave) {
    for (const char* possible :
         {"vendi=1", "vendi=4", "vendi=x0.5", "vendi=x4", "spp=4", "spp=x9", "pairwise=2"})
        EXPECT_NO_THROW(check_reachable(Target::parse(possible), 4)) << possible;
    for (const char* impossible : {"vendi=4.1", "vendi=0.9", "vendi=x4.1", "spp=4.1", "pairwise=2.1"}) {
        test::expect_error(ErrorCode::usage, "[`target`] no set reaches \"",
                           [&] { check_reachable(Target::parse(impossible), 4); });
    }
    test::expect_error(ErrorCode::usage, "the vendi of 4 images is 1 to 4",
                       [] { check_reachable(Target::parse("vendi=5"), 4); });
    test::expect_error(ErrorCode::usage, "did you mean \"vendi\"?", [] { Target::parse("vendy=2"); });
}

/// Tries of a search, by the strengths that were tried.
std::vector<double> tried(double plain, double wanted, const std::function<double(double)>& spread_at) {
    std::vector<double> strengths;
    const std::size_t sets = search_strength(plain, wanted, [&](double strength) {
        strengths.push_back(strength);
        return spread_at(strength);
    });
    EXPECT_EQ(sets, strengths.size() + 1);
    return strengths;
}

TEST(SearchStrength, FindsWhatIsWanted) {
    const auto curved = [](double s) { return 2 + s * s; };
    const std::vector<double> strengths = tried(2, 2.5, curved);
    EXPECT_LE(strengths.size(), 7U);
    EXPECT_TRUE(is_close(curved(strengths.back()), 2.5));
}

TEST(SearchStrength, AsksForNothingThatIsThereAlready) {
    const auto never = [](double) -> double { throw std::logic_error("asked"); };
    EXPECT_TRUE(tried(2, 1.6, never).empty());
    EXPECT_TRUE(tried(2, 2.01, never).empty());
}

TEST(SearchStrength, EndsWhereItCannotBeReached) {
    EXPECT_EQ(tried(2, 9, [](double s) { return 2 + s; }).size(), 1U);                     // out of reach
    EXPECT_LE(tried(2, 2.5, [](double s) { return s < 0.5 ? 2.0 : 3.0; }).size(), 7U);     // a jump
    EXPECT_LE(tried(2, 2.5, [](double s) { return 2.5 + std::sin(40 * s); }).size(), 7U);  // all but monotone
    EXPECT_EQ(tried(2, 2.5, [](double) { return 2.0; }).size(), 1U);                       // nothing happens
}

}  // namespace
}  // namespace gass
