#include "metrics/kernel_distance.h"

#include "metrics/feature_sets.h"
#include "metrics/numpy_random.h"
#include "support/expect_error.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <tuple>

namespace gass {
namespace {

using test::expect_error;
using test::gaussian;

at::Tensor kernels(const at::Tensor& a, const at::Tensor& b) {
    return (a.matmul(b.t()) / a.size(1) + 1).pow(3);
}

/// The unbiased squared discrepancy of two whole sets of equal size.
double by_definition(const at::Tensor& a, const at::Tensor& b) {
    const auto size = static_cast<double>(a.size(0));
    const auto among = [&](const at::Tensor& rows) {
        const at::Tensor all = kernels(rows, rows);
        return ((all.sum() - all.trace()) / (size * (size - 1))).item<double>();
    };
    return among(a) + among(b) - 2 * kernels(a, b).mean().item<double>();
}

TEST(NumpyRandom, ChoosesWhatNumpyChooses) {
    // numpy.random.RandomState(2020).choice(10, 10, replace=False), then choice(7, 3, replace=False)
    NumpyRandom random(2020);
    EXPECT_TRUE(random.choice(10, 10).equal(at::tensor({2, 4, 9, 1, 5, 7, 6, 3, 8, 0}, at::kLong)));
    EXPECT_TRUE(random.choice(7, 3).equal(at::tensor({4, 3, 1}, at::kLong)));
}

RC_GTEST_PROP(NumpyRandom, ChoosesDistinctOnes, ()) {
    const auto count = *rc::gen::inRange<std::int64_t>(1, 100);
    const auto chosen = *rc::gen::inRange<std::int64_t>(1, count + 1);
    const at::Tensor found = NumpyRandom(*rc::gen::arbitrary<std::uint32_t>()).choice(count, chosen);
    RC_ASSERT(std::get<0>(at::_unique(found)).numel() == chosen);
    RC_ASSERT(found.min().item<std::int64_t>() >= 0 && found.max().item<std::int64_t>() < count);
}

RC_GTEST_PROP(KernelDistance, OfWholeSetsIsItsDefinition, ()) {
    const auto images = *rc::gen::inRange<std::int64_t>(2, 40);
    const auto width = *rc::gen::inRange<std::int64_t>(1, 20);
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    const at::Tensor a = gaussian(images, width, seed);
    const at::Tensor b = gaussian(images, width, seed + 1) * 1.5 + 0.2;
    const KernelDistance found = kernel_distance(a, b, {.subsets = 2, .subset_size = images});
    const double expected = by_definition(a, b);
    RC_ASSERT(std::abs(found.mean.value - expected) < 1e-9 * (1 + std::abs(expected)));
    RC_ASSERT(found.standard_deviation < 1e-9 * (1 + std::abs(expected)));
    const KernelDistance narrow =
        kernel_distance(a.to(at::kFloat), b.to(at::kFloat), {.subsets = 2, .subset_size = images});
    RC_ASSERT(std::abs(narrow.mean.value - expected) < 1e-4 * (1 + std::abs(expected)));
}

TEST(KernelDistance, IsTheMeanOfManySubsetsInTheirOrder) {
    const at::Tensor a = gaussian(20, 4, 1);
    const at::Tensor b = gaussian(25, 4, 2) * 1.5;
    constexpr std::int64_t kSubsets = 150;
    NumpyRandom random(2020);
    at::Tensor values = at::empty({kSubsets}, at::kDouble);
    for (std::int64_t i = 0; i < kSubsets; ++i) {
        const at::Tensor own = a.index_select(0, random.choice(20, 7));
        values[i] = by_definition(own, b.index_select(0, random.choice(25, 7)));
    }
    const KernelDistance found = kernel_distance(a, b, {.subsets = kSubsets, .subset_size = 7});
    EXPECT_NEAR(found.mean.value, values.mean().item<double>(), 1e-12);
    EXPECT_NEAR(found.standard_deviation, values.std(false).item<double>(), 1e-12);
}

TEST(KernelDistance, OfLargeSubsetsIsItsDefinition) {
    const at::Tensor a = gaussian(1500, 6, 1);
    const at::Tensor b = gaussian(1500, 6, 2) + 0.3;
    EXPECT_NEAR(kernel_distance(a, b, {.subsets = 1, .subset_size = 1500}).mean.value, by_definition(a, b),
                1e-10);
}

TEST(KernelDistance, OfLikeSetsIsNothingOnAverage) {
    const at::Tensor a = gaussian(600, 16, 1);
    const at::Tensor b = gaussian(600, 16, 2);
    const KernelDistance like = kernel_distance(a, b, {.subsets = 20, .subset_size = 200});
    const KernelDistance other = kernel_distance(a, b + 0.5, {.subsets = 20, .subset_size = 200});
    EXPECT_LT(std::abs(like.mean.value), 0.02);
    EXPECT_GT(other.mean.value, 10 * std::abs(like.mean.value));
    EXPECT_GT(like.standard_deviation, 0);
    EXPECT_NE(kernel_distance(a, b, {.subsets = 20, .subset_size = 200, .seed = 1}).mean.value,
              like.mean.value);
}

TEST(KernelDistance, InfluenceIsTheDerivativeByWeight) {
    // Of a whole set: 2 (mean kernel to the others − mean kernel to the reference), which has mean 0 when
    // centred.
    const at::Tensor a = gaussian(200, 5, 1);
    const at::Tensor b = gaussian(200, 5, 2) + 0.5;
    const at::Tensor own = kernels(a, a);
    const at::Tensor slopes = 2 * ((own.sum(1) - own.diagonal()) / 199 - kernels(a, b).mean(1));
    const Estimate found = kernel_distance(a, b, {.subsets = 3, .subset_size = 200}).mean;
    EXPECT_TRUE(at::allclose(found.influence, slopes - slopes.mean(), 1e-9, 1e-9));
    // Of subsets: only who was drawn counts, and the mean is 0.
    const Estimate some = kernel_distance(a, b, {.subsets = 2, .subset_size = 20}).mean;
    EXPECT_LE((some.influence != 0).sum().item<std::int64_t>(), 200);
    EXPECT_NEAR(some.influence.mean().item<double>(), 0, 1e-9);
    EXPECT_TRUE(bootstrap_interval(some));
}

TEST(KernelDistance, TakesHugeNumbersAndHalfPrecision) {
    const at::Tensor features = gaussian(30, 4, 1);
    const KernelDistanceOptions options{.subsets = 2, .subset_size = 20};
    EXPECT_TRUE(std::isfinite(kernel_distance(features.to(at::kFloat) * 1e15, features, options).mean.value));
    const at::Tensor halves = features.to(at::kHalf);
    EXPECT_NEAR(kernel_distance(halves, halves + 1, options).mean.value,
                kernel_distance(halves.to(at::kDouble), (halves + 1).to(at::kDouble), options).mean.value,
                1e-5);
}

TEST(KernelDistance, RefusesSubsetsThatAreTooLargeOrTooSmall) {
    const at::Tensor features = gaussian(30, 4, 1);
    expect_error(ErrorCode::usage, "`kid_subset_size`", [&] { kernel_distance(features, features); });
    expect_error(ErrorCode::usage, "2 to 20 images",
                 [&] { kernel_distance(features, gaussian(20, 4, 2), {.subsets = 1, .subset_size = 21}); });
    for (const KernelDistanceOptions& wrong :
         {KernelDistanceOptions{.subset_size = 1}, KernelDistanceOptions{.subsets = 0, .subset_size = 5}}) {
        expect_error(ErrorCode::usage, "KID", [&] { kernel_distance(features, features, wrong); });
    }
    expect_error(ErrorCode::usage, "one encoder", [&] { kernel_distance(features, gaussian(30, 5, 1)); });
    expect_error(ErrorCode::model_invalid, "row 0", [&] { kernel_distance(features * NAN, features); });
}

}  // namespace
}  // namespace gass
