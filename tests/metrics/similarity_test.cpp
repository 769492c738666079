#include "metrics/similarity.h"

#include "metrics/feature_sets.h"
#include "support/expect_error.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace gass {
namespace {

using test::any_features;
using test::expect_error;
using test::expect_jackknife;
using test::gaussian;

RC_GTEST_PROP(Similarity, IsTheMeanOfTheCosines, ()) {
    const at::Tensor features = any_features();
    const at::Tensor unit = features / features.norm(2, 1, true);
    const at::Tensor cosines = unit.matmul(unit.t());
    const auto images = static_cast<double>(features.size(0));
    const double pairs = (cosines.sum() - cosines.trace()).item<double>() / (images * (images - 1));
    RC_ASSERT(std::abs(mean_pairwise_similarity(features).value - pairs) < 1e-12);
    RC_ASSERT(std::abs(mean_similarity(features).value - cosines.mean().item<double>()) < 1e-12);
    const at::Tensor text = unit[0];
    RC_ASSERT(std::abs(clip_score(features, text).value - cosines[0].mean().item<double>()) < 1e-12);
    RC_ASSERT(std::abs(clip_score(features, 3 * features).value - 1) < 1e-12);
}

TEST(Similarity, OfEqualCosinesIsThatCosine) {
    for (const double cosine : {0.1, 0.5, 0.9}) {
        const at::Tensor features = test::with_cosines(test::equal_cosines(8, cosine));
        EXPECT_NEAR(mean_pairwise_similarity(features).value, cosine, 1e-12);
    }
}

RC_GTEST_PROP(Similarity, KnowsNoOrder, ()) {
    const at::Tensor features = any_features();
    const at::Tensor mixed = test::shuffled(features, *rc::gen::arbitrary<std::uint32_t>());
    RC_ASSERT(std::abs(mean_pairwise_similarity(mixed).value - mean_pairwise_similarity(features).value) <
              1e-12);
    RC_ASSERT(std::abs(mean_similarity(mixed).value - mean_similarity(features).value) < 1e-12);
}

TEST(Similarity, OfTwoImagesHasNoInterval) {
    EXPECT_FALSE(bootstrap_interval(mean_pairwise_similarity(gaussian(2, 5, 1))));
    EXPECT_TRUE(bootstrap_interval(mean_pairwise_similarity(gaussian(3, 5, 1))));
}

TEST(Similarity, InfluenceIsTheJackknife) {
    const at::Tensor features = gaussian(300, 8, 1) + 0.5;
    expect_jackknife(features, mean_pairwise_similarity, 0.02);
    expect_jackknife(features, mean_similarity, 0.02);
    expect_jackknife(
        features, [&](const at::Tensor& some) { return clip_score(some, features[0]); }, 1e-9);
}

TEST(Similarity, NeedsTwoImagesForAPair) {
    const at::Tensor one = gaussian(1, 4, 1);
    expect_error(ErrorCode::usage, "needs two images", [&] { mean_pairwise_similarity(one); });
    EXPECT_NEAR(mean_similarity(one).value, 1, 1e-12);
}

TEST(Similarity, TakesZerosHugeNumbersAndHalfPrecision) {
    const at::Tensor features = at::cat({gaussian(3, 4, 1), at::zeros({1, 4}, at::kDouble)});
    const double value = mean_pairwise_similarity(features).value;
    EXPECT_TRUE(std::isfinite(value));
    EXPECT_NEAR(mean_pairwise_similarity(features * 1e300).value, value, 1e-12);
    const at::Tensor halves = gaussian(6, 4, 1).to(at::kHalf);
    EXPECT_NEAR(mean_similarity(halves).value, mean_similarity(halves.to(at::kDouble)).value, 1e-12);
}

TEST(ClipScore, RefusesTextsThatDoNotBelong) {
    const at::Tensor images = gaussian(4, 6, 1);
    expect_error(ErrorCode::usage, "one encoder", [&] { clip_score(images, at::ones({5})); });
    expect_error(ErrorCode::usage, "one for each of 4", [&] { clip_score(images, at::ones({3, 6})); });
    expect_error(ErrorCode::model_invalid, "row 0", [&] { clip_score(images, at::full({6}, NAN)); });
}

}  // namespace
}  // namespace gass
