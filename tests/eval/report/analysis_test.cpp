// What a report says of a model beyond means.

#include "eval/report/analysis.h"

#include "eval/report/sample_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gass::eval {
namespace {

using testing::DoubleEq;
using testing::IsEmpty;
using testing::Optional;
using testing::SizeIs;

TEST(Analysis, ComparesEveryMethodWithTheBaseline) {
    const ModelAnalysis analysis = analyze(sample_results(), 0);
    EXPECT_EQ(analysis.differences[0][0].pairs, 0U) << "the baseline itself";
    const PairedDifference& gass = analysis.differences[2][0];
    EXPECT_EQ(gass.pairs, 6U);
    EXPECT_EQ(gass.higher, 6U);
    EXPECT_THAT(gass.mean, Optional(DoubleEq(0.375)));
    EXPECT_THAT(gass.ratio, Optional(DoubleEq(0.375 / 2.25)));
    EXPECT_EQ(gass.sign(), 1);
    EXPECT_EQ(analysis.differences[1][0].higher, 3U);
    EXPECT_EQ(analysis.differences[1][0].lower, 3U);
    EXPECT_EQ(analysis.differences[2][3].pairs, 0U) << "fid is of all images at once";
    EXPECT_EQ(analyze(sample_results(), 1).differences[2][0].pairs, 5U);
}

TEST(Analysis, RanksAmongMethodsThatHaveValues) {
    Results results = sample_results();
    const ModelAnalysis analysis = analyze(results, 0);
    EXPECT_THAT(analysis.ranks[2][0], Optional(DoubleEq(1.0)));
    EXPECT_THAT(analysis.ranks[0][0], Optional(DoubleEq(2.5)));
    EXPECT_THAT(analysis.ranks[2][1], Optional(DoubleEq(3.0))) << "of CLIPScore it has least";
    EXPECT_FALSE(analysis.ranks[0][3]);
    // A method without any value does not keep the others from being ranked.
    for (auto& value : results.scores[0][1][0].prompts) value.reset();
    const ModelAnalysis without = analyze(results, 0);
    EXPECT_FALSE(without.ranks[1][0]);
    EXPECT_THAT(without.ranks[0][0], Optional(DoubleEq(2.0)));
}

TEST(Analysis, FindsTheFrontByTheMeans) {
    Results results = sample_results();
    const auto plots = analyze(results, 0).plots;
    ASSERT_THAT(plots, SizeIs(1));
    ASSERT_THAT(plots[0], SizeIs(3));
    // Each has less of CLIPScore and more of Vendi than the one before.
    for (const PlacedMethod& one : plots[0]) EXPECT_TRUE(one.on_front) << one.method;
    EXPECT_THAT(plots[0][2].y, DoubleEq(2.625));
    EXPECT_LE(plots[0][2].y_interval->low, 2.625);
    results.suite.plots = {{"seconds", "vendi"}, {"fid", "spp"}, {"spp", "vendi"}};
    const auto others = analyze(results, 1).plots;
    EXPECT_TRUE(others[0][0].on_front) << "less time is better";
    EXPECT_TRUE(others[0][2].on_front);
    EXPECT_THAT(others[1], SizeIs(2)) << "the third has no FID";
    EXPECT_FALSE(others[2][0].on_front);
    EXPECT_FALSE(others[2][1].on_front);
    EXPECT_TRUE(others[2][2].on_front) << "it has most of both";
}

TEST(Analysis, LivesWithWhatIsNotThere) {
    Results results = sample_results();
    results.scores.clear();
    results.suite.baseline = "";
    const ModelAnalysis analysis = analyze(results, 0);
    EXPECT_THAT(analysis.plots[0], IsEmpty());
    EXPECT_FALSE(analysis.ranks[0][0]);
}

}  // namespace
}  // namespace gass::eval
