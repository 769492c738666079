#include "guidance/cads.h"
#include "guidance/interval.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace gass {
namespace {

const std::vector<std::uint64_t> kThreeSeeds{7, 8, 9};

GroupStep at_time(double time) {
    return {.index = 0, .count = 28, .step = {}, .time = time, .seeds = &kThreeSeeds, .x = nullptr};
}

TEST(IntervalGuidance, IsOnInsideOnly) {
    IntervalGuidance method({.low = 0.2, .high = 0.8}, {});
    EXPECT_EQ(method.guidance(4.0, at_time(0.81)), 1.0);
    EXPECT_EQ(method.guidance(4.0, at_time(0.8)), 4.0);
    EXPECT_EQ(method.guidance(4.0, at_time(0.21)), 4.0);
    EXPECT_EQ(method.guidance(4.0, at_time(0.2)), 1.0);
}

TEST(IntervalGuidance, GuidesTheStepsOfStableDiffusion3ThatThePaperGuides) {
    IntervalGuidance method({}, {});
    std::vector<int> guided;
    for (int i = 0; i < 28; ++i) {
        const double plain = 1 - i * (1 - 1.0 / 1000 / (1.0 / 3 + 2.0 / 3 / 1000)) / 27;
        const double time = 3 * plain / (1 + 2 * plain);
        if (method.guidance(7.0, at_time(time)) > 1) guided.push_back(i);
    }
    ASSERT_FALSE(guided.empty());
    EXPECT_EQ(guided.front(), 12);
    EXPECT_EQ(guided.back(), 24);
}

TEST(Cads, ClarityRunsFromTau2ToTau1) {
    const CadsParams sd3;
    EXPECT_EQ(Cads::clarity(sd3, 0.9), 1.0);
    EXPECT_NEAR(Cads::clarity(sd3, 1.0), 0.667, 1e-3);
    EXPECT_NEAR(Cads::clarity({.tau1 = 0.9, .tau2 = 1.3, .scale = 0.15}, 1.0), 0.75, 1e-9);
    EXPECT_EQ(Cads::clarity({.tau1 = 0.3, .tau2 = 0.9}, 0.95), 0.0);
}

TEST(Cads, KeepsMeanAndDeviationOfTheText) {
    Cads method({.tau1 = 0.5, .tau2 = 1.0, .scale = 0.4});
    const Condition given{.sequence = at::randn({3, 5, 6}) + 2, .pooled = at::randn({3, 7})};
    const Condition clear = method.condition(given, at_time(0.5));
    EXPECT_TRUE(clear.sequence.is_same(given.sequence));
    const Condition noised = method.condition(given, at_time(0.9));
    EXPECT_GT((noised.sequence - given.sequence).abs().max().item<double>(), 0.1);
    EXPECT_TRUE(
        at::allclose(noised.sequence.flatten(1).mean(1), given.sequence.flatten(1).mean(1), 1e-4, 1e-5));
    EXPECT_TRUE(at::allclose(noised.pooled.std(1), given.pooled.std(1), 1e-4, 1e-5));
    const Condition again = method.condition(given, at_time(0.9));
    EXPECT_FALSE(at::equal(again.sequence, noised.sequence));  // fresh at every step
    Cads twin({.tau1 = 0.5, .tau2 = 1.0, .scale = 0.4});
    EXPECT_TRUE(at::equal(twin.condition(given, at_time(0.9)).sequence, noised.sequence));  // by the seed
}

}  // namespace
}  // namespace gass
