#include "metrics/inception_score.h"

#include "support/expect_error.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

namespace gass {
namespace {

using test::expect_error;

constexpr double kSure = 60;  // a logit that leaves nothing to the other classes

TEST(InceptionScore, IsTheNumberOfClassesThatAreSureAndEquallyOften) {
    const at::Tensor each_once = kSure * at::eye(12, at::kDouble);
    EXPECT_NEAR(inception_score(each_once, {.splits = 1}).mean.value, 12, 1e-9);
    EXPECT_NEAR(inception_score(each_once.slice(0, 0, 4), {.splits = 1}).mean.value, 4, 1e-9);
    // A single image in each split, or images that are all alike, tell nothing.
    EXPECT_NEAR(inception_score(each_once, {.splits = 12}).mean.value, 1, 1e-12);
    EXPECT_NEAR(inception_score(at::ones({7, 5}), {.splits = 2}).mean.value, 1, 1e-12);
}

TEST(InceptionScore, DoesNotMindLogitsOfAnySize) {
    const at::Tensor logits = at::randn({20, 6}, at::detail::createCPUGenerator(1), at::kDouble);
    const double value = inception_score(logits).mean.value;
    EXPECT_NEAR(inception_score(logits + 1e4).mean.value, value, 1e-9);
    EXPECT_TRUE(std::isfinite(inception_score(1e6 * logits).mean.value));
}

TEST(InceptionScore, WhatAnImageBearsOnItIsItsDerivative) {
    // Of one split, in which an image counts for a little more than 1 / n.
    const at::Tensor logits = at::randn({9, 6}, at::detail::createCPUGenerator(2), at::kDouble);
    const InceptionScore score = inception_score(logits, {.splits = 1});
    const auto weighted = [&](std::int64_t image, double more) {
        at::Tensor weights = at::full({9, 1}, 1.0 / 9, at::kDouble);
        weights[image][0] += more;
        weights = weights / weights.sum();
        const at::Tensor classes = logits.softmax(1);
        const at::Tensor mean = (weights * classes).sum(0);
        return (weights * classes * (classes.log() - mean.log())).sum().exp().item<double>();
    };
    constexpr double kStep = 1e-6;
    for (std::int64_t i = 0; i < 9; ++i) {
        const double slope = (weighted(i, kStep) - weighted(i, -kStep)) / (2 * kStep);
        EXPECT_NEAR(score.mean.influence[i].item<double>(), slope, 1e-6);
    }
}

TEST(InceptionScore, RefusesWhatItCannotSplit) {
    const at::Tensor logits = at::ones({5, 3});
    expect_error(ErrorCode::usage, "6 splits, got 5", [&] { inception_score(logits, {.splits = 6}); });
    expect_error(ErrorCode::usage, "0 splits", [&] { inception_score(logits, {.splits = 0}); });
    expect_error(ErrorCode::model_invalid, "row 0", [&] { inception_score(at::full({5, 3}, NAN)); });
}

}  // namespace
}  // namespace gass
