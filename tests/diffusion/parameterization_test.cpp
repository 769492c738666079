#include "diffusion/parameterization.h"

#include "support/parity_case.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numbers>

namespace gass {
namespace {

using test::relative_error;

constexpr auto kPredictions = {Prediction::epsilon, Prediction::v, Prediction::sample, Prediction::flow};

at::Tensor random(std::uint64_t seed) {
    auto generator = at::make_generator<at::CPUGeneratorImpl>(seed);
    return at::randn({2, 4, 4, 4}, generator, at::kDouble);
}

double fraction() {
    return *rc::gen::inRange(1, 1000) / 1000.0;  // never 0 nor 1
}

/// A level in coordinates that the prediction knows.
NoiseLevel any_level(Prediction prediction) {
    const double part = fraction();
    if (prediction == Prediction::flow) return {1 - part, part};
    if (*rc::gen::arbitrary<bool>()) return {1.0, 20 * part};
    return {std::cos(part * std::numbers::pi / 2), std::sin(part * std::numbers::pi / 2)};
}

RC_GTEST_PROP(Parameterization, SplitAndJoinAreInverse, (std::uint32_t seed)) {
    const Prediction prediction = *rc::gen::elementOf(std::vector<Prediction>(kPredictions));
    const NoiseLevel level = any_level(prediction);
    const at::Tensor x = random(seed);
    const at::Tensor output = random(seed + 1ULL);
    const DenoisedEstimate estimate = split(prediction, output, x, level);
    RC_ASSERT(relative_error(join(prediction, estimate, level), output) < 1e-9);
    RC_ASSERT(relative_error(mix(estimate, level), x) < 1e-9);
    if (prediction != Prediction::flow)
        RC_ASSERT(relative_error(noise_in(x, estimate.clean, level), estimate.noise) < 1e-7);
}

RC_GTEST_PROP(Parameterization, AnOutputThatKnowsTheImageFindsIt, (std::uint32_t seed)) {
    const Prediction prediction = *rc::gen::elementOf(std::vector<Prediction>(kPredictions));
    const NoiseLevel level = any_level(prediction);
    const DenoisedEstimate truth{random(seed), random(seed + 1ULL)};
    const DenoisedEstimate found =
        split(prediction, join(prediction, truth, level), mix(truth, level), level);
    RC_ASSERT(relative_error(found.clean, truth.clean) < 1e-9);
    RC_ASSERT(relative_error(found.noise, truth.noise) < 1e-7);
}

TEST(Parameterization, PredictsVWithoutAnySignal) {
    const at::Tensor x = random(1);
    const at::Tensor output = random(2);
    const DenoisedEstimate estimate = split(Prediction::v, output, x, {0.0, 1.0});
    EXPECT_TRUE(at::equal(estimate.clean, -output));
    EXPECT_TRUE(at::equal(estimate.noise, x));
    EXPECT_TRUE(at::equal(join(Prediction::v, estimate, {0.0, 1.0}), output));
}

TEST(Parameterization, ReturnsWhatNeedsNoArithmeticItself) {
    const DenoisedEstimate estimate{random(1), random(2)};
    EXPECT_TRUE(mix(estimate, {1.0, 0.0}).is_same(estimate.clean));
    EXPECT_TRUE(mix(estimate, {0.0, 1.0}).is_same(estimate.noise));
    EXPECT_TRUE(
        split(Prediction::epsilon, estimate.noise, estimate.clean, {0.6, 0.8}).noise.is_same(estimate.noise));
    EXPECT_TRUE(
        split(Prediction::sample, estimate.clean, estimate.noise, {0.6, 0.8}).clean.is_same(estimate.clean));
}

TEST(Parameterization, HasNames) {
    EXPECT_EQ(to_string(Prediction::epsilon), "epsilon");
    EXPECT_EQ(to_string(Prediction::flow), "flow");
}

}  // namespace
}  // namespace gass
