#include "metrics/spp.h"

#include "metrics/feature_sets.h"
#include "sphere/groups.h"
#include "support/expect_error.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace gass {
namespace {

using sphere::test::any_group;
using sphere::test::isotropic_group;
using test::expect_error;

/// The mean over groups like those of the paper, in CLIP's 512 dimensions.
struct Simulated {
    double d_dep = 0;
    double d_ind = 0;
    double spp = 0;
};

Simulated simulated(std::int64_t images, double cosine, int groups) {
    Simulated mean;
    for (int i = 0; i < groups; ++i) {
        // Seeds other than that of the axes, whose random numbers would be the images' own.
        const auto group = isotropic_group(images, 512, cosine, static_cast<std::uint64_t>(i + 1000));
        const Spp found = spp(group.embeddings, group.prompt, {.draws = 4});
        mean.d_dep += found.d_dep.value / groups;
        mean.d_ind += found.d_ind.value / groups;
        mean.spp += found.spp.value / groups;
    }
    return mean;
}

TEST(Spp, OfIsotropicGroupsIsThatOfThePaper) {
    const Simulated narrow = simulated(50, 0.89, 12);
    EXPECT_NEAR(narrow.d_dep, 0.068, 0.007);
    EXPECT_NEAR(narrow.d_ind, 0.065, 0.007);
    const Simulated wide = simulated(50, 0.70, 12);
    EXPECT_NEAR(wide.d_dep, 0.109, 0.011);
    EXPECT_NEAR(wide.d_ind, 0.112, 0.011);
}

TEST(Spp, GrowsWithTheNumberOfImagesAsRangesDo) {
    // 2 R_B √((1 − c) / (d − 1)), R the mean range of B normal numbers.
    for (const auto& [images, range] : {std::pair{10, 3.08}, std::pair{50, 4.50}}) {
        const double expected = 2 * range * std::sqrt((1 - 0.8) / 511);
        EXPECT_NEAR(simulated(images, 0.8, 16).spp / expected, 1, 0.08) << images;
    }
}

RC_GTEST_PROP(Spp, IsTheSumAndLiesInItsInterval, ()) {
    const auto group = any_group(3);
    const SppOptions options{.draws = 3, .seed = *rc::gen::arbitrary<std::uint32_t>(), .resamples = 200};
    for (const Spp& found : {spp(group.embeddings, group.prompt, options),
                             principal_spp(group.embeddings, group.prompt, options)}) {
        RC_ASSERT(std::abs(found.spp.value - found.d_dep.value - found.d_ind.value) < 1e-12);
        for (const Measured* each : {&found.spp, &found.d_dep, &found.d_ind, &found.mean_cosine}) {
            RC_ASSERT(each->interval.has_value());
            RC_ASSERT(each->interval->low <= each->value);
            RC_ASSERT(each->interval->high >= each->value);
        }
        RC_ASSERT(found.d_dep.value >= 0 && found.d_dep.value <= 2);
    }
}

RC_GTEST_PROP(Spp, KnowsNoOrderAndNoLength, ()) {
    const auto group = any_group(2);
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    const Spp found = spp(group.embeddings, group.prompt, {.seed = 5});
    const Spp scaled = spp(test::shuffled(group.embeddings, seed) * 7, group.prompt * 0.1, {.seed = 5});
    RC_ASSERT(std::abs(scaled.spp.value - found.spp.value) < 1e-9);
    RC_ASSERT(std::abs(scaled.mean_cosine.value - found.mean_cosine.value) < 1e-9);
}

TEST(Spp, DependsOnItsSeedAlone) {
    const auto group = isotropic_group(10, 64, 0.8, 1);
    const double value = spp(group.embeddings, group.prompt).spp.value;
    EXPECT_DOUBLE_EQ(spp(group.embeddings, group.prompt).spp.value, value);
    EXPECT_NE(spp(group.embeddings, group.prompt, {.seed = 1}).spp.value, value);
}

/// Of all its numbers.
std::vector<std::optional<Interval>> intervals_of(const Spp& found) {
    return {found.spp.interval, found.d_dep.interval, found.d_ind.interval, found.mean_cosine.interval};
}

TEST(Spp, IntervalsComeFromTheSeedAndTheResamples) {
    const auto group = isotropic_group(12, 16, 0.8, 1);
    const auto intervals = [&](const SppOptions& options) {
        return intervals_of(principal_spp(group.embeddings, group.prompt, options));
    };
    const auto usual = intervals({});
    const auto same = intervals({.draws = 3});  // which are none of this one's
    const auto seeded = intervals({.seed = 1});
    const auto fewer = intervals({.resamples = 50});
    for (std::size_t i = 0; i < usual.size(); ++i) {
        EXPECT_LT(usual[i]->low, usual[i]->high);
        EXPECT_DOUBLE_EQ(usual[i]->low, same[i]->low);
        EXPECT_NE(usual[i]->low, seeded[i]->low);
        EXPECT_NE(usual[i]->low, fewer[i]->low);
    }
    const double value = principal_spp(group.embeddings, group.prompt).spp.value;
    EXPECT_DOUBLE_EQ(principal_spp(group.embeddings, group.prompt, {.seed = 1}).spp.value, value);
}

TEST(Spp, HasNoIntervalsForTwoImagesOrNoResamples) {
    const auto group = isotropic_group(3, 16, 0.8, 1);
    const at::Tensor pair = group.embeddings.narrow(0, 0, 2);
    const SppOptions none{.resamples = 0};
    for (const Spp& found :
         {spp(pair, group.prompt), principal_spp(pair, group.prompt),
          spp(group.embeddings, group.prompt, none), principal_spp(group.embeddings, group.prompt, none)}) {
        for (const auto& interval : intervals_of(found)) EXPECT_FALSE(interval);
        EXPECT_GT(found.spp.value, 0);
    }
}

TEST(Spp, LiesInItsIntervalWhereAlmostAllResampledRangesAreEqual) {
    const auto group = isotropic_group(2, 16, 0.8, 1);
    const Spp found = principal_spp(group.embeddings.repeat({5, 1}), group.prompt);
    EXPECT_LE(found.spp.interval->low, found.spp.value);
    EXPECT_GE(found.spp.interval->high, found.spp.value);
}

TEST(Spp, OfEqualImagesIsNothing) {
    const auto group = isotropic_group(1, 16, 0.8, 1);
    const Spp found = principal_spp(group.embeddings.expand({4, 16}), group.prompt);
    EXPECT_NEAR(found.spp.value, 0, 1e-12);
    EXPECT_NEAR(found.mean_cosine.value, 1, 1e-12);
}

TEST(Spp, PrincipalAxisIsTheWidest) {
    const auto group = isotropic_group(30, 24, 0.5, 1);
    at::Tensor stretched = group.embeddings.clone();
    stretched.select(1, 0).mul_(8);
    EXPECT_GT(principal_spp(stretched, group.prompt).d_ind.value, spp(stretched, group.prompt).d_ind.value);
}

TEST(Spp, RefusesWhatItCannotMeasure) {
    const auto group = isotropic_group(4, 8, 0.5, 1);
    expect_error(ErrorCode::usage, "two images",
                 [&] { spp(group.embeddings.narrow(0, 0, 1), group.prompt); });
    expect_error(ErrorCode::usage, "one encoder", [&] { spp(group.embeddings, at::ones({7})); });
    for (const SppOptions& wrong :
         {SppOptions{.draws = 0}, SppOptions{.candidates = 0}, SppOptions{.resamples = -1}}) {
        expect_error(ErrorCode::usage, "draw", [&] { spp(group.embeddings, group.prompt, wrong); });
    }
    expect_error(ErrorCode::usage, "resamples",
                 [&] { principal_spp(group.embeddings, group.prompt, {.resamples = -1}); });
    expect_error(ErrorCode::model_invalid, "row 0", [&] { spp(group.embeddings * NAN, group.prompt); });
}

}  // namespace
}  // namespace gass
