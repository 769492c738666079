#include "metrics/vendi.h"

#include "metrics/feature_sets.h"
#include "support/expect_error.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace gass {
namespace {

using test::any_features;
using test::expect_derivative;
using test::expect_error;
using test::expect_jackknife;
using test::gaussian;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double any_order_of_entropy() {
    return *rc::gen::element(0.0, 0.3, 0.9, 1.0, 1.5, 2.0, 7.0, 200.0, kInfinity);
}

/// By the eigenvalues of all cosines, written as the definition is.
double by_definition(const at::Tensor& features, double order) {
    const at::Tensor unit = features / features.norm(2, 1, true);
    const at::Tensor values = at::linalg_eigvalsh(unit.matmul(unit.t()) / features.size(0));
    const at::Tensor some = values.masked_select(values > 1e-12);
    if (order == 1) return std::exp(-(some * some.log()).sum().item<double>());
    if (std::isinf(order)) return 1 / some.max().item<double>();
    return std::pow(some.pow(order).sum().item<double>(), 1 / (1 - order));
}

TEST(Vendi, HasThePackagesValues) {
    const at::Tensor similarities = at::tensor({1.0, 0.9, 0.0, 0.9, 1.0, 0.0, 0.0, 0.0, 1.0}, at::kDouble);
    EXPECT_NEAR(vendi(test::with_cosines(similarities.reshape({3, 3}))), 2.1573, 5e-5);
    const at::Tensor samples = at::tensor({0.0, 0.0, 10.0, 10.0, 20.0, 20.0}, at::kDouble);
    const at::Tensor apart = samples.unsqueeze(0) - samples.unsqueeze(1);
    // Its documentation cuts the digits: 2.9999.
    EXPECT_NEAR(std::floor(vendi(test::with_cosines((-apart.abs()).exp())) * 1e4), 29999, 0);
}

TEST(Vendi, CountsWhatIsDifferent) {
    const at::Tensor axes = at::eye(6, at::kDouble);
    EXPECT_NEAR(vendi(axes), 6, 1e-9);
    EXPECT_NEAR(vendi(axes[0].expand({5, 6})), 1, 1e-9);
    EXPECT_NEAR(vendi(at::cat({axes.narrow(0, 0, 3), axes.narrow(0, 0, 3)})), 3, 1e-9);
}

TEST(Vendi, IsTheClosedFormForEqualCosines) {
    for (const double cosine : {0.1, 0.5, 0.9}) {
        const double first = (1 + 7 * cosine) / 8;
        const double other = (1 - cosine) / 8;
        const double entropy = -first * std::log(first) - 7 * other * std::log(other);
        EXPECT_NEAR(vendi(test::with_cosines(test::equal_cosines(8, cosine))), std::exp(entropy), 1e-9);
    }
}

TEST(Vendi, IsThatOfManyBlocks) {
    for (const auto& [images, width] : {std::pair{700, 300}, std::pair{300, 700}}) {
        const at::Tensor features = gaussian(images, width, 1) + 0.1;
        EXPECT_NEAR(vendi(features) / by_definition(features, 1), 1, 1e-12);
        EXPECT_NEAR(vendi_estimate(features).value / by_definition(features, 1), 1, 1e-12);
    }
}

RC_GTEST_PROP(Vendi, LiesBetweenOneAndTheNumberOfImages, ()) {
    const at::Tensor features = any_features(1);
    const double order = any_order_of_entropy();
    const std::int64_t images = features.size(0);
    const at::Tensor alike = features.narrow(0, 0, 1).expand({images, -1});
    for (const at::Tensor& each : {features, alike, at::eye(images, at::kDouble)}) {
        for (const double value : {vendi(each, order), vendi_estimate(each, order).value})
            RC_ASSERT(value >= 1 && value <= static_cast<double>(images));
    }
}

RC_GTEST_PROP(Vendi, IsItsDefinitionByEitherMatrix, ()) {
    const at::Tensor features = any_features(1);
    for (const double order : {0.3, 1.0, 2.0, kInfinity}) {
        RC_ASSERT(std::abs(vendi(features, order) / by_definition(features, order) - 1) < 1e-6);
    }
    // More columns of zeros change nothing but which of the two matrices is smaller.
    const at::Tensor wide = at::cat({features, at::zeros({features.size(0), 40}, at::kDouble)}, 1);
    for (const double order : {0.0, 1.0, 2.0, kInfinity}) {
        RC_ASSERT(std::abs(vendi(wide, order) - vendi(features, order)) < 1e-8);
        RC_ASSERT(std::abs(vendi_estimate(wide, order).value - vendi(features, order)) < 1e-8);
    }
}

RC_GTEST_PROP(Vendi, KnowsNoOrderRotationLengthOrCopies, ()) {
    const at::Tensor features = any_features();
    const double order = any_order_of_entropy();
    const double value = vendi(features, order);
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    RC_ASSERT(std::abs(vendi(test::shuffled(features, seed), order) - value) < 1e-8);
    RC_ASSERT(std::abs(vendi(features.matmul(test::rotation(features.size(1), seed)), order) - value) < 1e-8);
    RC_ASSERT(std::abs(vendi(features * 1e-200, order) - value) < 1e-8);
    RC_ASSERT(std::abs(vendi(at::cat({features, features, features}), order) - value) < 1e-6);
}

RC_GTEST_PROP(Vendi, FallsWithItsOrder, ()) {
    const at::Tensor features = any_features();
    double last = static_cast<double>(std::min(features.size(0), features.size(1))) + 1e-9;
    for (const double order : {0.0, 0.5, 1.0, 1.0 + 1e-7, 2.0, 50.0, 1e4, kInfinity}) {
        const double value = vendi(features, order);
        RC_ASSERT(value <= last + 1e-6);
        last = value;
    }
}

TEST(Vendi, DoesNotIgnoreItsOrder) {
    const at::Tensor features = gaussian(20, 6, 3) + 1;
    EXPECT_GT(vendi(features, 0.5), vendi(features, 1) + 0.01);
    EXPECT_GT(vendi(features, 1), vendi(features, 2) + 0.01);
    EXPECT_GT(vendi_estimate(features, 1).value, vendi_estimate(features, 2).value + 0.01);
    EXPECT_DOUBLE_EQ(vendi(features, 0), 6);
}

TEST(Vendi, InfluenceIsTheDerivativeByWeight) {
    for (const double order : {0.5, 1.0, 2.0, 5.0, kInfinity}) {
        for (const std::int64_t width : {4, 30}) {
            const at::Tensor features = gaussian(8, width, 5) + 0.3;
            expect_derivative(
                features, [&](const at::Tensor& some) { return vendi_estimate(some, order); }, 100, 0.03);
        }
    }
    const at::Tensor with_zero = at::cat({gaussian(8, 4, 5), at::zeros({1, 4}, at::kDouble)});
    expect_derivative(
        with_zero, [](const at::Tensor& some) { return vendi_estimate(some); }, 100, 0.03);
}

TEST(Vendi, InfluenceIsTheJackknifeOfManyImages) {
    const at::Tensor features = gaussian(300, 4, 5) + 0.3;
    expect_jackknife(
        features, [&](const at::Tensor& some) { return vendi_estimate(some); }, 0.02);
}

TEST(Vendi, OfTwoImagesHasNoInterval) {
    // Each bears on it as much as the other, whichever they are.
    const Estimate pair = vendi_estimate(gaussian(2, 5, 1));
    EXPECT_NEAR(pair.influence.abs().max().item<double>(), 0, 1e-12);
    EXPECT_FALSE(bootstrap_interval(pair));
    const auto three = bootstrap_interval(vendi_estimate(gaussian(3, 5, 1)));
    ASSERT_TRUE(three);
    EXPECT_LT(three->low, three->high);
}

TEST(Vendi, OfOrderZeroHasNoInfluence) {
    EXPECT_FALSE(vendi_estimate(gaussian(4, 3, 1), 0).influence.defined());
}

TEST(Vendi, TakesOneImageZerosAndHalfPrecision) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        EXPECT_EQ(vendi(gaussian(1, 5, seed)), 1);
        EXPECT_EQ(vendi_estimate(gaussian(1, 5, seed)).value, 1);
    }
    EXPECT_DOUBLE_EQ(vendi(at::zeros({3, 4})), 1);
    const at::Tensor with_zero = at::cat({at::eye(2, at::kDouble), at::zeros({1, 2}, at::kDouble)});
    EXPECT_NEAR(vendi(with_zero), std::exp(2.0 / 3 * std::log(3.0)), 1e-12);
    const at::Tensor halves = gaussian(12, 7, 2).to(at::kHalf);
    EXPECT_NEAR(vendi(halves), vendi(halves.to(at::kDouble)), 1e-12);
}

TEST(Vendi, RefusesWhatItCannotMeasure) {
    at::Tensor features = gaussian(5, 3, 1);
    for (const double order : {-1.0, std::nan("")}) {
        expect_error(ErrorCode::usage, "order", [&] { vendi(features, order); });
        expect_error(ErrorCode::usage, "order", [&] { vendi_estimate(features, order); });
    }
    features[3][1] = kInfinity;
    expect_error(ErrorCode::model_invalid, "row 3 of 5", [&] { vendi(features); });
    expect_error(ErrorCode::usage, "one image or more", [] { vendi(at::empty({0, 3})); });
}

}  // namespace
}  // namespace gass
