#include "metrics/estimate.h"

#include "metrics/feature_sets.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

namespace gass {
namespace {

using test::gaussian;

TEST(Estimate, OfAMeanIsTheMeanAndItsDeviations) {
    const Estimate mean = mean_estimate(at::tensor({1.0, 2.0, 6.0}, at::kDouble));
    EXPECT_DOUBLE_EQ(mean.value, 3);
    EXPECT_TRUE(mean.influence.equal(at::tensor({-2.0, -1.0, 3.0}, at::kDouble)));
}

TEST(BootstrapInterval, IsTheNormalOneForMany) {
    const at::Tensor values = gaussian(5000, 1, 1).select(1, 0);
    const Estimate mean = mean_estimate(values);
    const double error = values.std().item<double>() / std::sqrt(5000.0);
    const auto found = bootstrap_interval(mean, 4000);
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->low, mean.value - 1.96 * error, 0.12 * error);
    EXPECT_NEAR(found->high, mean.value + 1.96 * error, 0.12 * error);
    const auto narrower = bootstrap_interval(mean, 4000, 0, 0.5);
    EXPECT_NEAR(narrower->high, mean.value + 0.674 * error, 0.12 * error);
}

TEST(BootstrapInterval, IsTheSameForASeed) {
    // Nothing but std::mt19937_64 is drawn from, whose numbers the standard fixes.
    const Estimate mean = mean_estimate(at::arange(10, at::kDouble));
    const auto first = bootstrap_interval(mean);
    const auto second = bootstrap_interval(mean);
    EXPECT_DOUBLE_EQ(first->low, second->low);
    EXPECT_DOUBLE_EQ(first->high, second->high);
    EXPECT_NE(first->low, bootstrap_interval(mean, 1000, 1)->low);
}

TEST(BootstrapInterval, NeedsThreeImagesInfluenceAndResamples) {
    EXPECT_FALSE(bootstrap_interval({1.0, {}}));
    EXPECT_FALSE(bootstrap_interval(mean_estimate(at::ones({1}, at::kDouble))));
    EXPECT_FALSE(bootstrap_interval(mean_estimate(at::arange(2, at::kDouble))));
    EXPECT_FALSE(bootstrap_interval(mean_estimate(at::arange(3, at::kDouble)), 0));
    const auto constant = bootstrap_interval(mean_estimate(at::ones({3}, at::kDouble)));
    ASSERT_TRUE(constant);
    EXPECT_DOUBLE_EQ(constant->low, 1);
    EXPECT_DOUBLE_EQ(constant->high, 1);
}

TEST(BootstrapInterval, CoversTheTruthAboutAsOftenAsItSays) {
    int covered = 0;
    constexpr int kSets = 300;
    for (int i = 0; i < kSets; ++i) {
        const auto found = bootstrap_interval(
            mean_estimate(gaussian(60, 1, static_cast<std::uint64_t>(i)).select(1, 0)), 400);
        covered += found->low <= 0 && 0 <= found->high ? 1 : 0;
    }
    EXPECT_GT(covered, kSets * 90 / 100);
    EXPECT_LT(covered, kSets * 99 / 100);
}

TEST(QuantileInterval, InterpolatesAsNumpyDoes) {
    const Interval found = quantile_interval({4, 1, 3, 2}, 0.5);
    EXPECT_DOUBLE_EQ(found.low, 1.75);
    EXPECT_DOUBLE_EQ(found.high, 3.25);
    EXPECT_DOUBLE_EQ(quantile_interval({7}, 0.95).high, 7);
}

RC_GTEST_PROP(Resampler, DrawsAsManyAsThereAreFromAll, ()) {
    const auto count = *rc::gen::inRange<std::int64_t>(1, 50);
    Resampler resampler(count, *rc::gen::arbitrary<std::uint64_t>());
    std::vector<int> seen(static_cast<std::size_t>(count));
    constexpr int kSets = 200;
    for (int i = 0; i < kSets; ++i) resampler.draw([&](std::size_t index) { ++seen.at(index); });
    int total = 0;
    for (const int times : seen) {
        RC_ASSERT(times > kSets / 2 && times < kSets * 2);
        total += times;
    }
    RC_ASSERT(total == kSets * count);
}

}  // namespace
}  // namespace gass
