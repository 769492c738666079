#include "guidance/group_noise.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numbers>

namespace gass {
namespace {

at::Tensor noise_of(std::int64_t images, std::int64_t channels, std::int64_t height, std::int64_t width,
                    std::uint64_t seed) {
    return at::randn({images, channels, height, width}, at::detail::createCPUGenerator(seed), at::kFloat);
}

at::Tensor any_noise(std::int64_t least = 2) {
    return noise_of(*rc::gen::inRange<std::int64_t>(least, 12), *rc::gen::element<std::int64_t>(4, 8, 16),
                    *rc::gen::inRange<std::int64_t>(4, 20), *rc::gen::inRange<std::int64_t>(4, 20),
                    *rc::gen::arbitrary<std::uint32_t>());
}

double largest(const at::Tensor& values) {
    return values.abs().max().item<double>();
}

/// One cosine mode of every image and channel. [B, C]
at::Tensor cosine_mode(const at::Tensor& noise, std::int64_t down, std::int64_t across) {
    const auto wave = [](std::int64_t frequency, std::int64_t length) {
        const auto size = static_cast<double>(length);
        return ((at::arange(length, at::kDouble) + 0.5) *
                (std::numbers::pi * static_cast<double>(frequency) / size))
                   .cos() *
               std::sqrt((frequency == 0 ? 1.0 : 2.0) / size);
    };
    return noise.to(at::kDouble).matmul(wave(across, noise.size(3))).matmul(wave(down, noise.size(2)));
}

RC_GTEST_PROP(SpreadNoise, OffItIsTheArgument, ()) {
    const at::Tensor noise = any_noise(1);
    RC_ASSERT(spread_noise(noise, {}).is_same(noise));
    const at::Tensor one = noise.narrow(0, 0, 1);
    RC_ASSERT(spread_noise(one, {.amount = 1.0, .mean_scale = 2.0}).is_same(one));
}

RC_GTEST_PROP(SpreadNoise, PermutingTheGroupPermutesTheResult, ()) {
    const at::Tensor noise = any_noise();
    const NoiseSpread spread{.amount = *rc::gen::inRange(1, 11) / 10.0, .mean_scale = 1.3};
    const at::Tensor order = at::randperm(noise.size(0), at::detail::createCPUGenerator(5), at::kLong);
    RC_ASSERT(largest(spread_noise(noise.index_select(0, order), spread) -
                      spread_noise(noise, spread).index_select(0, order)) < 1e-5);
}

RC_GTEST_PROP(SpreadNoise, CoarseModesLoseWhatTheyShare, ()) {
    const at::Tensor spread = spread_noise(any_noise(), {.amount = 1.0, .mean_scale = 1.5});
    for (std::int64_t down = 0; down < 4; ++down) {
        for (std::int64_t across = 0; across < 4; ++across)
            RC_ASSERT(largest(cosine_mode(spread, down, across).mean(0)) < 1e-4);
    }
}

RC_GTEST_PROP(SpreadNoise, FineDetailStays, ()) {
    const at::Tensor noise = any_noise();
    RC_PRE(noise.size(2) > 5 && noise.size(3) > 5);
    const at::Tensor moved = spread_noise(noise, {.amount = 1.0, .mean_scale = 1.5}) - noise;
    RC_ASSERT(largest(cosine_mode(moved, 4, 0)) < 1e-4);
    RC_ASSERT(largest(cosine_mode(moved, 1, 5)) < 1e-4);
}

RC_GTEST_PROP(SpreadNoise, MeansAreEquallyFarApart, ()) {
    const auto images = *rc::gen::inRange<std::int64_t>(2, 9);
    const at::Tensor noise = noise_of(images, 8, 6, 6, *rc::gen::arbitrary<std::uint32_t>());
    const at::Tensor means = cosine_mode(spread_noise(noise, {.amount = 1.0, .mean_scale = 1.0}), 0, 0);
    const at::Tensor apart = at::pdist(means);
    RC_ASSERT((apart.max() - apart.min()).item<double>() < 1e-3 * apart.max().item<double>());
    // As long as unit noise is expected to be: 8 numbers an image.
    RC_ASSERT(std::abs(means.square().sum().item<double>() - 8.0 * static_cast<double>(images)) < 1e-2);
}

TEST(SpreadNoise, EachImageStillLooksLikeUnitNoise) {
    double sum = 0;
    double coarse = 0;
    constexpr int kGroups = 200;
    for (int i = 0; i < kGroups; ++i) {
        const at::Tensor spread =
            spread_noise(noise_of(8, 8, 16, 16, 1000 + static_cast<std::uint64_t>(i)), {.amount = 0.7});
        sum += spread.square().mean().item<double>() / kGroups;
        coarse += cosine_mode(spread, 2, 1).square().mean().item<double>() / kGroups;
    }
    EXPECT_NEAR(sum, 1.0, 0.01);
    EXPECT_NEAR(coarse, 1.0, 0.04);
}

TEST(SpreadNoise, EqualNoiseStaysFinite) {
    const at::Tensor equal = noise_of(1, 4, 8, 8, 3).expand({4, -1, -1, -1}).contiguous();
    EXPECT_TRUE(spread_noise(equal, {.amount = 1.0, .mean_scale = 1.5}).isfinite().all().item<bool>());
    EXPECT_TRUE(spread_noise(noise_of(3, 4, 1, 2, 3), {.amount = 1.0}).isfinite().all().item<bool>());
}

}  // namespace
}  // namespace gass
