#include "engine/start_noise.h"

#include "tensor/random.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace gass {
namespace {

constexpr std::array<std::int64_t, 4> kShape{1, 4, 16, 16};

TEST(StartNoise, EachImageHasItsOwnSeed) {
    const at::Tensor noise = start_noise({3, 9}, std::nullopt, kShape);
    EXPECT_TRUE(at::equal(noise[0], initial_noise(3, kShape)[0]));
    EXPECT_TRUE(at::equal(noise[1], initial_noise(9, kShape)[0]));
}

TEST(StartNoise, VariationGoesFromOneSeedToTheOther) {
    const at::Tensor own = initial_noise(3, kShape);
    EXPECT_TRUE(at::equal(start_noise({3}, Variation{9, 0.0}, kShape), own));
    EXPECT_TRUE(at::equal(start_noise({3}, Variation{9, 1.0}, kShape), initial_noise(9, kShape)));
    EXPECT_TRUE(at::equal(start_noise({3, 3}, Variation{9, 1.0}, kShape)[1], initial_noise(10, kShape)[0]));
    const auto distance = [&](double strength) {
        return (start_noise({3}, Variation{9, strength}, kShape) - own).norm().item<double>();
    };
    EXPECT_LT(distance(0.1), distance(0.2));
    EXPECT_LT(distance(0.2), distance(0.9));
}

TEST(StartNoise, VariationKeepsTheNoisesSize) {
    // A straight line would shrink the halfway point to 0.7 of its size.
    const at::Tensor half = start_noise({3}, Variation{9, 0.5}, kShape);
    EXPECT_NEAR(half.std().item<double>(), 1.0, 0.05);
}

}  // namespace
}  // namespace gass
