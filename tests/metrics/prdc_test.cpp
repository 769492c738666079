#include "metrics/prdc.h"

#include "metrics/feature_sets.h"
#include "support/expect_error.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <ostream>
#include <tuple>

namespace gass {
namespace {

using test::expect_error;
using test::gaussian;

struct Values {
    double precision, recall, density, coverage;
    bool operator==(const Values&) const = default;
};

void PrintTo(const Values& values, std::ostream* out) {
    *out << values.precision << ' ' << values.recall << ' ' << values.density << ' ' << values.coverage;
}

Values values_of(const Prdc& found) {
    return {found.precision.value, found.recall.value, found.density.value, found.coverage.value};
}

/// All distances in fp64, without any product.
at::Tensor distances(const at::Tensor& a, const at::Tensor& b) {
    const at::Tensor apart = a.to(at::kDouble).unsqueeze(1) - b.to(at::kDouble).unsqueeze(0);
    return apart.square().sum(2).sqrt();
}

at::Tensor radii(const at::Tensor& features, std::int64_t k) {
    return std::get<0>(distances(features, features).fill_diagonal_(0).sort(1)).select(1, k);
}

/// As the definitions are written.
Values by_definition(const at::Tensor& real, const at::Tensor& generated, std::int64_t k, bool strict) {
    const at::Tensor apart = distances(real, generated);
    const auto inside = [&](const at::Tensor& limits) {
        return (strict ? apart < limits : apart <= limits).to(at::kDouble);
    };
    const at::Tensor in_real = inside(radii(real, k).unsqueeze(1));
    const at::Tensor in_generated = inside(radii(generated, k).unsqueeze(0));
    return {in_real.amax(0).mean().item<double>(), in_generated.amax(1).mean().item<double>(),
            in_real.sum(0).mean().item<double>() / static_cast<double>(k),
            in_real.amax(1).mean().item<double>()};
}

/// Sets of few or many images with ties: some of the images are copies of others, or lie on a grid.
at::Tensor any_set(std::int64_t width) {
    const auto images = *rc::gen::inRange<std::int64_t>(4, 40);
    const at::Tensor features = gaussian(images, width, *rc::gen::arbitrary<std::uint32_t>());
    return *rc::gen::arbitrary<bool>() ? features.round() : features;
}

void assert_close(const Values& a, const Values& b) {
    RC_ASSERT(std::abs(a.precision - b.precision) < 1e-12);
    RC_ASSERT(std::abs(a.recall - b.recall) < 1e-12);
    RC_ASSERT(std::abs(a.density - b.density) < 1e-12);
    RC_ASSERT(std::abs(a.coverage - b.coverage) < 1e-12);
}

RC_GTEST_PROP(Prdc, IsItsDefinition, ()) {
    const auto width = *rc::gen::inRange<std::int64_t>(1, 12);
    const at::Tensor real = any_set(width);
    const at::Tensor generated = any_set(width);
    const auto k = *rc::gen::inRange<std::int64_t>(1, 4);
    const bool strict = *rc::gen::arbitrary<bool>();
    const Values expected = by_definition(real, generated, k, strict);
    assert_close(values_of(prdc(real, generated, k, strict)), expected);
    assert_close(values_of(prdc(real.to(at::kFloat), generated.to(at::kFloat), k, strict)),
                 by_definition(real.to(at::kFloat), generated.to(at::kFloat), k, strict));
}

RC_GTEST_PROP(Prdc, StaysForFarAwayLargeAndTinyFeatures, ()) {
    const auto width = *rc::gen::inRange<std::int64_t>(1, 12);
    // Multiples of 2⁻¹⁰, so that the offset rounds nothing.
    const auto grid = [](const at::Tensor& features) { return (features * 1024).round() / 1024; };
    const at::Tensor real = grid(any_set(width));
    const at::Tensor generated = grid(any_set(width));
    const Values expected = values_of(prdc(real, generated, 2));
    assert_close(values_of(prdc(real + 1e6, generated + 1e6, 2)), expected);
    assert_close(values_of(prdc(real * 0x1p300, generated * 0x1p300, 2)), expected);
    assert_close(values_of(prdc(real * 0x1p-300, generated * 0x1p-300, 2)), expected);
    // Two clusters far apart, where fp32 decides nothing within either.
    const auto with_far = [](const at::Tensor& features) { return at::cat({features, features + 1e9}); };
    assert_close(values_of(prdc(with_far(real), with_far(generated), 2)),
                 by_definition(with_far(real), with_far(generated), 2, true));
}

RC_GTEST_PROP(Prdc, SwapsPrecisionAndRecallWithTheSets, ()) {
    const auto width = *rc::gen::inRange<std::int64_t>(1, 12);
    const at::Tensor real = any_set(width);
    const at::Tensor generated = any_set(width);
    const bool strict = *rc::gen::arbitrary<bool>();
    const Values one = values_of(prdc(real, generated, 3, strict));
    const Values other = values_of(prdc(generated, real, 3, strict));
    RC_ASSERT(one.precision == other.recall);
    RC_ASSERT(one.recall == other.precision);
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    assert_close(values_of(prdc(test::shuffled(real, seed), test::shuffled(generated, seed), 3, strict)),
                 one);
}

TEST(Prdc, IsItsDefinitionOverManyBlocks) {
    const at::Tensor real = gaussian(1100, 8, 1).to(at::kFloat);
    const at::Tensor generated = (gaussian(1300, 8, 2) * 0.9 + 0.1).to(at::kFloat);
    for (const std::int64_t k : {1, 5, 200}) {
        const Values found = values_of(prdc(real, generated, k));
        const Values expected = by_definition(real, generated, k, true);
        EXPECT_NEAR(found.precision, expected.precision, 1e-12);
        EXPECT_NEAR(found.recall, expected.recall, 1e-12);
        EXPECT_NEAR(found.density, expected.density, 1e-12);
        EXPECT_NEAR(found.coverage, expected.coverage, 1e-12);
    }
}

TEST(Prdc, OfLikeGaussiansIsAboutWhatThePackageSays) {
    // 10 000 images of 1 000 features give .477, .471, 1.056, .974; fewer and shorter ones are not far.
    const Values found = values_of(prdc(gaussian(1500, 64, 1), gaussian(1500, 64, 2), 5));
    EXPECT_NEAR(found.precision, found.recall, 0.08);
    EXPECT_NEAR(found.density, 1, 0.15);
    EXPECT_NEAR(found.coverage, 0.97, 0.03);
}

TEST(Prdc, OfEqualSetsDependsOnTheEdge) {
    const at::Tensor features = gaussian(30, 5, 1);
    // Every image lies in its own ball and those of its neighbours' that have it inside.
    EXPECT_EQ(values_of(prdc(features, features, 3)), by_definition(features, features, 3, true));
    EXPECT_DOUBLE_EQ(prdc(features, features, 3).coverage.value, 1);
    // Radii of 0: nobody is strictly inside.
    const at::Tensor twins = at::cat({features, features});
    EXPECT_EQ(values_of(prdc(twins, twins, 1)), (Values{0, 0, 0, 0}));
    EXPECT_EQ(values_of(prdc(twins, twins, 1, /*strict=*/false)), (Values{1, 1, 2, 1}));
    const at::Tensor same = at::ones({2000, 3});
    EXPECT_EQ(values_of(prdc(same, same, 5)), (Values{0, 0, 0, 0}));
    EXPECT_EQ(values_of(prdc(same, same, 5, /*strict=*/false)), (Values{1, 1, 400, 1}));
}

TEST(Prdc, InfluenceIsWhatEachImageAdds) {
    const at::Tensor real = gaussian(60, 4, 1);
    const at::Tensor generated = gaussian(50, 4, 2) + 0.5;
    const Prdc found = prdc(real, generated, 3);
    for (const Estimate* each : {&found.precision, &found.density}) {
        EXPECT_EQ(each->influence.numel(), 50);
        EXPECT_NEAR(each->influence.mean().item<double>(), 0, 1e-12);
    }
    for (const Estimate* each : {&found.recall, &found.coverage}) {
        EXPECT_EQ(each->influence.numel(), 60);
        EXPECT_NEAR(each->influence.mean().item<double>(), 0, 1e-12);
    }
    // Precision and density are means over the generated images, if the real ones stay.
    test::expect_jackknife(
        generated, [&](const at::Tensor& some) { return prdc(real, some, 3).precision; }, 1e-9);
    test::expect_jackknife(
        generated, [&](const at::Tensor& some) { return prdc(real, some, 3).density; }, 1e-9);
    // Recall is one over the real images, if the generated ones stay.
    test::expect_jackknife(
        real, [&](const at::Tensor& some) { return prdc(some, generated, 3).recall; }, 1e-9);
    // So is coverage, but a real image bears on its neighbours' balls too, which no derivative knows.
    const at::Tensor nearest = distances(real, generated).amin(1);
    const at::Tensor covered = (nearest < radii(real, 3)).to(at::kDouble);
    EXPECT_TRUE(at::allclose(found.coverage.influence, covered - covered.mean(), 0, 1e-12));
    EXPECT_GT(found.coverage.influence.abs().max().item<double>(), 0.1);
}

TEST(Prdc, TakesHalfPrecision) {
    const at::Tensor real = gaussian(20, 4, 1).to(at::kHalf);
    const at::Tensor generated = gaussian(20, 4, 2).to(at::kBFloat16);
    EXPECT_EQ(values_of(prdc(real, generated, 3)), by_definition(real, generated, 3, true));
}

TEST(Prdc, RefusesWhatItCannotMeasure) {
    const at::Tensor four = gaussian(4, 3, 1);
    const at::Tensor nine = gaussian(9, 3, 2);
    EXPECT_NO_THROW(prdc(four, nine, 3));
    expect_error(ErrorCode::usage, "k = 4 and 4 images", [&] { prdc(four, nine, 4); });
    expect_error(ErrorCode::usage, "k = 4 and 4 images", [&] { prdc(nine, four, 4); });
    expect_error(ErrorCode::usage, "k = 0", [&] { prdc(nine, four, 0); });
    expect_error(ErrorCode::usage, "one encoder", [&] { prdc(nine, gaussian(9, 4, 1), 3); });
    at::Tensor bad = nine.clone();
    bad[8][0] = NAN;
    expect_error(ErrorCode::model_invalid, "row 8 of 9", [&] { prdc(four, bad, 1); });
}

}  // namespace
}  // namespace gass
