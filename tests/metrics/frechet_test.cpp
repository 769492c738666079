#include "metrics/frechet.h"

#include "metrics/feature_sets.h"
#include "support/expect_error.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace gass {
namespace {

using test::any_features;
using test::expect_error;
using test::gaussian;

FeatureStatistics diagonal(const at::Tensor& mean, const at::Tensor& deviations) {
    return {mean, deviations.square().diag(), 0};
}

RC_GTEST_PROP(FeatureStatistics, AreTheMeanAndTheUnbiasedCovariance, ()) {
    const at::Tensor features = any_features();
    const at::Tensor before = features.clone();
    const FeatureStatistics found = statistics_of(features);
    RC_ASSERT(features.equal(before));
    RC_ASSERT(found.count == features.size(0));
    RC_ASSERT(at::allclose(found.mean, features.mean(0), 0, 1e-12));
    RC_ASSERT(at::allclose(found.covariance, at::cov(features.t()).reshape_as(found.covariance), 0, 1e-12));
}

TEST(FeatureStatistics, AreThoseOfManyBlocks) {
    const at::Tensor features = (gaussian(9000, 600, 1) + 100).to(at::kFloat);
    const FeatureStatistics found = statistics_of(features);
    EXPECT_TRUE(at::allclose(found.covariance, at::cov(features.to(at::kDouble).t()), 1e-10, 1e-12));
    EXPECT_TRUE(found.covariance.equal(found.covariance.t()));
}

RC_GTEST_PROP(FrechetDistance, IsTheClosedFormForIndependentFeatures, ()) {
    const auto width = *rc::gen::inRange<std::int64_t>(1, 10);
    const at::Tensor draws = gaussian(4, width, *rc::gen::arbitrary<std::uint32_t>());
    // Some features without any variance.
    const at::Tensor first = draws[2].abs() * (draws[2] > -1);
    const at::Tensor second = draws[3].abs() * (draws[3] > -1);
    const double expected =
        ((draws[0] - draws[1]).square().sum() + (first - second).square().sum()).item<double>();
    const FeatureStatistics a = diagonal(draws[0], first);
    const FeatureStatistics b = diagonal(draws[1], second);
    RC_ASSERT(std::abs(frechet_distance(a, b) - expected) < 1e-6);
    RC_ASSERT(std::abs(frechet_distance(b, a) - expected) < 1e-6);
}

RC_GTEST_PROP(FrechetDistance, OfASetToItselfIsNothingAndToAShiftedOneTheShift, ()) {
    const at::Tensor features = any_features();
    const FeatureStatistics own = statistics_of(features);
    RC_ASSERT(frechet_distance(own, own) < 1e-6);
    RC_ASSERT(frechet_distance(own, own) >= 0);
    const double shift = *rc::gen::inRange(1, 100);
    const double expected = shift * shift * static_cast<double>(features.size(1));
    RC_ASSERT(std::abs(frechet_distance(statistics_of(features + shift), own) - expected) <
              1e-6 * (1 + expected));
}

RC_GTEST_PROP(FrechetDistance, IsSymmetricAndKnowsNoRotation, ()) {
    const auto width = *rc::gen::inRange<std::int64_t>(1, 15);
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    const at::Tensor a = gaussian(*rc::gen::inRange<std::int64_t>(2, 30), width, seed) * 2 + 1;
    const at::Tensor b = gaussian(*rc::gen::inRange<std::int64_t>(2, 30), width, seed + 1);
    const double value = frechet_distance(statistics_of(a), statistics_of(b));
    const at::Tensor turn = test::rotation(width, seed);
    const double turned = frechet_distance(statistics_of(a.matmul(turn)), statistics_of(b.matmul(turn)));
    RC_ASSERT(std::abs(turned - value) < 1e-5);
    RC_ASSERT(std::abs(frechet_distance(statistics_of(b), statistics_of(a)) - value) < 1e-5);
    RC_ASSERT(std::abs(frechet_estimate(a, statistics_of(b)).value - value) < 1e-6);
}

TEST(FrechetDistance, InfluenceIsTheDerivativeByWeight) {
    const FeatureStatistics reference = statistics_of(gaussian(50, 4, 1) * 1.5 + 1);
    const auto distance = [&](const at::Tensor& some) { return frechet_estimate(some, reference); };
    test::expect_jackknife(gaussian(400, 4, 2), distance, 0.02);
    // Fewer images than features, so that the covariance is singular.
    const FeatureStatistics wide = statistics_of(gaussian(60, 12, 1));
    const at::Tensor few = gaussian(6, 12, 3);
    const Estimate found = frechet_estimate(few, wide);
    EXPECT_TRUE(found.influence.isfinite().all().item<bool>());
    EXPECT_NEAR(found.influence.mean().item<double>(), 0, 1e-9);
}

TEST(FrechetDistance, TakesEqualImagesAndFarAwayOnes) {
    const at::Tensor features = gaussian(100, 5, 1);
    const FeatureStatistics reference = statistics_of(features);
    const Estimate equal = frechet_estimate(at::zeros({7, 5}), reference);
    const double expected = (reference.mean.square().sum() + reference.covariance.trace()).item<double>();
    EXPECT_NEAR(equal.value, expected, 1e-9);
    EXPECT_NEAR(frechet_distance(statistics_of(at::zeros({7, 5})), reference), expected, 1e-9);
    const at::Tensor far = features + 1e6;
    EXPECT_NEAR(frechet_distance(statistics_of(far), statistics_of(far)), 0, 1e-6);
    const at::Tensor halves = features.to(at::kHalf);
    EXPECT_NEAR(frechet_distance(statistics_of(halves), statistics_of(halves.to(at::kDouble))), 0, 1e-9);
}

TEST(FrechetDistance, RefusesWhatItCannotMeasure) {
    const FeatureStatistics three = statistics_of(gaussian(5, 3, 1));
    expect_error(ErrorCode::usage, "needs two images", [] { statistics_of(gaussian(1, 3, 1)); });
    expect_error(ErrorCode::usage, "3 features here and 4",
                 [&] { frechet_distance(three, statistics_of(gaussian(5, 4, 1))); });
    at::Tensor bad = gaussian(5, 3, 1);
    bad[2][2] = NAN;
    expect_error(ErrorCode::model_invalid, "row 2 of 5", [&] { statistics_of(bad); });
    expect_error(ErrorCode::model_invalid, "finite", [&] {
        frechet_distance(three, {three.mean, three.covariance * NAN, 5});
    });
    expect_error(ErrorCode::model_invalid, "belong together", [&] {
        frechet_distance(three, {three.mean, at::eye(2, at::kDouble), 5});
    });
}

}  // namespace
}  // namespace gass
