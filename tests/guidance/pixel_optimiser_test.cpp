#include "guidance/pixel_optimiser.h"

#include "guidance/fake_vision.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>
#include <torch/optim/adam.h>

namespace gass {
namespace {

using test::BrokenVision;
using test::FakeVision;
using ::testing::Each;
using ::testing::ElementsAre;

at::Tensor some_pixels(std::int64_t images, std::uint64_t seed = 3) {
    return at::rand({images, 3, 16, 16}, at::detail::createCPUGenerator(seed), at::kFloat) * 0.8 + 0.1;
}

/// Targets a little away from where the images are.
at::Tensor targets_near(const Vision& vision, const at::Tensor& pixels) {
    const at::Tensor noise = at::randn({pixels.size(0), 32}, at::detail::createCPUGenerator(4), at::kFloat);
    const at::Tensor near = vision.embed(pixels * 2 - 1) + 0.05 * noise;
    return near / near.norm(2, -1, true);
}

TEST(PixelLoss, ChunksGiveTheGradientOfTheWholeGroup) {
    const FakeVision vision;
    const at::Tensor pixels = some_pixels(5);
    const at::Tensor targets = targets_near(vision, pixels);
    const PixelLoss whole = pixel_loss(vision, pixels, targets, 5);
    for (const std::int64_t chunk : {1, 2, 4, 100}) {
        const PixelLoss parts = pixel_loss(vision, pixels, targets, chunk);
        EXPECT_TRUE(at::allclose(parts.losses, whole.losses, 1e-5, 1e-7)) << chunk;
        EXPECT_TRUE(at::allclose(parts.embeddings, whole.embeddings, 1e-5, 1e-7)) << chunk;
        EXPECT_TRUE(at::allclose(parts.gradient, whole.gradient, 1e-4, 1e-8)) << chunk;
    }
}

TEST(PixelLoss, GradientIsTheSlope) {
    const FakeVision vision;
    const at::Tensor pixels = some_pixels(2);
    const at::Tensor targets = targets_near(vision, pixels);
    const at::Tensor direction = at::randn(pixels.sizes(), at::detail::createCPUGenerator(5), at::kFloat);
    const auto loss = [&](double step) {
        return pixel_loss(vision, pixels + step * direction, targets, 2).losses.sum().item<double>();
    };
    const double slope = (loss(1e-2) - loss(-1e-2)) / 2e-2;
    const double expected =
        (pixel_loss(vision, pixels, targets, 2).gradient * direction).sum().item<double>();
    EXPECT_NEAR(slope, expected, 2e-2 * std::abs(expected) + 1e-5);
}

TEST(PixelOptimiser, IsTorchsAdam) {
    const FakeVision vision;
    const at::Tensor start = some_pixels(3);
    const at::Tensor targets = targets_near(vision, start);
    const at::NoGradGuard as_in_sampling;
    const OptimisedPixels ours =
        optimise_pixels(vision, start, targets, {.lr = 1e-3, .iterations = 12, .tolerance = 0, .chunk = 2});
    ASSERT_EQ(ours.iterations, 12);
    const at::AutoGradMode gradients_wanted(true);
    const at::Tensor pixels = start.clone().requires_grad_(true);
    torch::optim::Adam adam({pixels}, torch::optim::AdamOptions(1e-3));
    for (int i = 0; i < 12; ++i) {
        adam.zero_grad();
        (1 - (vision.embed(pixels * 2 - 1) * targets).sum(-1)).sum().backward();
        adam.step();
    }
    EXPECT_TRUE(at::allclose(ours.pixels, pixels, 1e-5, 1e-6));
}

TEST(PixelOptimiser, OnePlainStepIsEquation8) {
    const FakeVision vision;
    const at::Tensor pixels = some_pixels(3);
    const at::Tensor targets = targets_near(vision, pixels);
    const at::Tensor gradient = pixel_loss(vision, pixels, targets, 3).gradient;
    for (const double lr : {1.0, 1e4}) {  // the second one overshoots, and is taken all the same
        const OptimisedPixels best =
            optimise_pixels(vision, pixels, targets, {.adam = false, .lr = lr, .chunk = 3});
        EXPECT_TRUE(at::allclose(best.pixels, (pixels - lr * gradient).clamp(0, 1), 1e-5, 1e-6));
        EXPECT_EQ(best.iterations, 1);
        EXPECT_THAT(best.outcomes, Each(PixelOutcome::moved));
    }
}

RC_GTEST_PROP(PixelOptimiser, NoImageGetsWorse, ()) {
    const FakeVision vision;
    const at::Tensor pixels = some_pixels(*rc::gen::inRange(1, 5), *rc::gen::arbitrary<std::uint32_t>());
    const at::Tensor targets = targets_near(vision, pixels);
    const double lr = *rc::gen::element(1e-4, 1e-2, 1.0);
    const OptimisedPixels best =
        optimise_pixels(vision, pixels, targets, {.lr = lr, .iterations = 10, .tolerance = 0, .chunk = 2});
    RC_ASSERT((best.losses <= best.start_losses).all().item<bool>());
    const PixelLoss again = pixel_loss(vision, best.pixels, targets, 2);
    RC_ASSERT(at::allclose(again.losses, best.losses, 1e-4, 1e-6));
    RC_ASSERT(at::allclose(again.embeddings, best.embeddings, 1e-4, 1e-6));
    RC_ASSERT(best.pixels.min().item<double>() >= 0.0);
    RC_ASSERT(best.pixels.max().item<double>() <= 1.0);
}

RC_GTEST_PROP(PixelOptimiser, PermutedImagesGivePermutedResults, ()) {
    const FakeVision vision;
    const auto images = *rc::gen::inRange<std::int64_t>(1, 7);
    const at::Tensor pixels = some_pixels(images, *rc::gen::arbitrary<std::uint32_t>());
    const at::Tensor targets = targets_near(vision, pixels);
    const at::Tensor order =
        at::randperm(images, at::detail::createCPUGenerator(*rc::gen::arbitrary<std::uint32_t>()), at::kLong);
    const PixelOptimiserOptions options{.lr = 1e-3, .iterations = 8, .tolerance = 0, .chunk = 3};
    const at::Tensor plain = optimise_pixels(vision, pixels, targets, options).pixels;
    const at::Tensor permuted =
        optimise_pixels(vision, pixels.index_select(0, order), targets.index_select(0, order), options)
            .pixels;
    RC_ASSERT(at::allclose(permuted, plain.index_select(0, order), 1e-4, 1e-5));
}

TEST(PixelOptimiser, GetsThere) {
    const FakeVision vision;
    const at::Tensor pixels = some_pixels(4);
    const OptimisedPixels best = optimise_pixels(vision, pixels, targets_near(vision, pixels),
                                                 {.lr = 1e-3, .iterations = 60, .tolerance = 0, .chunk = 4});
    EXPECT_LT(best.losses.sum().item<double>(), 0.5 * best.start_losses.sum().item<double>());
    EXPECT_THAT(best.outcomes, Each(PixelOutcome::moved));
}

TEST(PixelOptimiser, StopsWhereThereIsNothingToGain) {
    const FakeVision vision;
    const at::Tensor pixels = some_pixels(3);
    const OptimisedPixels best =
        optimise_pixels(vision, pixels, vision.embed(pixels * 2 - 1), {.patience = 3, .chunk = 3});
    EXPECT_EQ(best.iterations, 3);
    // Rounding may call an iterate better; it is no farther away than Adam's three steps.
    EXPECT_LE((best.pixels - pixels).abs().max().item<double>(), 3.1e-4);
}

TEST(PixelOptimiser, LeavesAnImageWithoutGradientAlone) {
    const BrokenVision vision(BrokenVision::Defect::no_gradient);
    at::Tensor pixels = some_pixels(3);
    pixels[1][0][0][0] = 1.0F;
    const at::Tensor targets = targets_near(vision, pixels);
    for (const bool adam : {true, false}) {
        const OptimisedPixels best =
            optimise_pixels(vision, pixels, targets, {.adam = adam, .lr = 1e-3, .chunk = 2});
        EXPECT_THAT(best.outcomes,
                    ElementsAre(PixelOutcome::moved, PixelOutcome::no_gradient, PixelOutcome::moved));
        EXPECT_TRUE(at::equal(best.pixels[1], pixels[1]));
    }
    // Nor does an encoder that looks at nothing stop it.
    const OptimisedPixels none = optimise_pixels(vision, pixels.narrow(0, 1, 1), targets.narrow(0, 1, 1), {});
    EXPECT_EQ(none.iterations, 0);
    EXPECT_THAT(none.outcomes, ElementsAre(PixelOutcome::no_gradient));
}

TEST(PixelOptimiser, LeavesAnImageThatIsNotFiniteAlone) {
    for (const auto defect :
         {BrokenVision::Defect::embedding_not_finite, BrokenVision::Defect::gradient_not_finite}) {
        const BrokenVision vision(defect);
        const at::Tensor good = some_pixels(3);
        const at::Tensor targets = targets_near(FakeVision(), good);
        at::Tensor pixels = good.clone();
        pixels[1][0][0][0] = 1.0F;
        for (const bool adam : {true, false}) {
            const PixelOptimiserOptions options{.adam = adam, .lr = 1e-3, .tolerance = 0, .chunk = 3};
            const OptimisedPixels best = optimise_pixels(vision, pixels, targets, options);
            EXPECT_THAT(best.outcomes,
                        ElementsAre(PixelOutcome::moved, PixelOutcome::not_finite, PixelOutcome::moved));
            EXPECT_TRUE(at::equal(best.pixels[1], pixels[1]));
            EXPECT_TRUE(best.pixels.isfinite().all().item<bool>());
        }
    }
}

}  // namespace
}  // namespace gass
