#include "metrics/scendi.h"

#include "metrics/feature_sets.h"
#include "support/expect_error.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <tuple>
#include <utility>

namespace gass {
namespace {

using test::expect_error;
using test::gaussian;

at::Tensor fourier(const at::Tensor& points, const at::Tensor& frequencies) {
    const at::Tensor angles = points.matmul(frequencies);
    return at::cat({angles.cos(), angles.sin()}, 1) / std::sqrt(static_cast<double>(frequencies.size(1)));
}

double entropy_score(const at::Tensor& matrix) {
    const at::Tensor values = at::linalg_eigvalsh(matrix).clamp_min(1e-10);
    return std::exp(-(values * (values / values.sum()).log()).sum().item<double>());
}

/// The reference's formula with its own matrices of features, but by the singular values of the texts'
/// features: rounding in its pseudo-inverse, of numbers up to 10¹², would be seen in the fourth digit.
std::pair<double, double> by_definition(const at::Tensor& texts, const at::Tensor& images,
                                        const at::Tensor& frequencies) {
    const auto count = static_cast<double>(texts.size(0));
    const at::Tensor x = fourier(texts, frequencies) / std::sqrt(count);
    const at::Tensor y = fourier(images, frequencies) / std::sqrt(count);
    const auto [left, sizes, right] = at::linalg_svd(x, /*full_matrices=*/false);
    const at::Tensor shares = sizes.square() / (sizes.square() + 1e-12);
    const at::Tensor along = left.t().matmul(y);
    const at::Tensor removed = along.t().matmul(along * shares.unsqueeze(1));
    return {entropy_score(y.t().matmul(y) - removed), entropy_score(removed)};
}

RC_GTEST_PROP(Scendi, IsTheReferencesFormulaByEitherMatrix, ()) {
    const auto images = *rc::gen::inRange<std::int64_t>(2, 60);
    const auto frequencies = gaussian(6, *rc::gen::inRange<std::int64_t>(2, 25), 7) / 3.5;
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    const at::Tensor pictures = gaussian(images, 6, seed) * 3;
    // As many kinds of texts as divide the images, down to one prompt for all.
    const auto kinds = *rc::gen::inRange<std::int64_t>(1, images + 1);
    const at::Tensor texts =
        (gaussian(kinds, 6, seed + 1) * 3).index_select(0, at::arange(images, at::kLong).remainder(kinds));
    const Scendi found = scendi(texts, pictures, frequencies);
    const auto [score, removed] = by_definition(texts, pictures, frequencies);
    RC_ASSERT(std::abs(found.score.value / score - 1) < 1e-5);
    RC_ASSERT(std::abs(found.removed / removed - 1) < 1e-5);
}

TEST(Scendi, IsTheReferencesFormulaOverManyBlocks) {
    const at::Tensor frequencies = gaussian(6, 140, 1) / 3.5;
    const at::Tensor texts = gaussian(50, 6, 2).repeat({50, 1}) * 3;
    const at::Tensor pictures = gaussian(2500, 6, 3) * 3;
    const Scendi found = scendi(texts, pictures, frequencies);
    const auto [score, removed] = by_definition(texts, pictures, frequencies);
    EXPECT_NEAR(found.score.value / score, 1, 1e-6);
    EXPECT_NEAR(found.removed / removed, 1, 1e-6);
    // Twice everything is the same for every image.
    const Scendi twice = scendi(texts.repeat({2, 1}), pictures.repeat({2, 1}), frequencies);
    EXPECT_NEAR(twice.score.value / found.score.value, 1, 1e-6);
    EXPECT_TRUE(at::allclose(twice.score.influence, found.score.influence.repeat({2}), 1e-4, 1e-4));
}

TEST(Scendi, OfOnePromptIsTheEntropyOfTheCentredImages) {
    const at::Tensor frequencies = gaussian(5, 40, 1) / 3.5;
    const at::Tensor images = gaussian(30, 5, 2) * 3;
    const at::Tensor y = fourier(images, frequencies);
    const at::Tensor centred = y - y.mean(0);
    const Scendi found = scendi(at::ones({30, 5}), images, frequencies);
    EXPECT_NEAR(found.score.value, entropy_score(centred.t().matmul(centred) / 30), 1e-5);
}

TEST(Scendi, OfImagesThatTheTextsExplainIsAlmostOne) {
    const at::Tensor images = gaussian(40, 8, 1) * 2;
    EXPECT_NEAR(scendi(images, images).score.value, 1, 1e-3);
    EXPECT_GT(scendi(images, images).removed, 5);
    EXPECT_GT(scendi(at::ones({40, 8}), images).score.value, 5);
}

TEST(Scendi, InfluenceIsTheDerivativeByWeight) {
    // Texts and images side by side, so that they are reweighted together.
    const at::Tensor kinds = gaussian(3, 4, 1).repeat({3, 1});
    const at::Tensor pairs = at::cat({kinds, gaussian(9, 4, 2)}, 1);
    for (const std::int64_t count : {3, 12}) {
        const at::Tensor frequencies = gaussian(4, count, 3) / 2;
        const auto score = [&](const at::Tensor& some) {
            return scendi(some.narrow(1, 0, 4), some.narrow(1, 4, 4), frequencies).score;
        };
        test::expect_derivative(pairs, score, 40, 0.05);
    }
}

TEST(Scendi, DependsOnItsSeedAlone) {
    const at::Tensor texts = gaussian(10, 4, 1);
    const at::Tensor images = gaussian(10, 4, 2);
    const ScendiOptions few{.frequencies = 20};
    const double value = scendi(texts, images, few).score.value;
    EXPECT_DOUBLE_EQ(scendi(texts, images, few).score.value, value);
    EXPECT_NE(scendi(texts, images, {.frequencies = 20, .seed = 1}).score.value, value);
    EXPECT_TRUE(bootstrap_interval(scendi(texts, images, few).score));
}

TEST(Scendi, RefusesWhatItCannotMeasure) {
    const at::Tensor images = gaussian(4, 3, 1);
    expect_error(ErrorCode::usage, "one text for each of 4", [&] { scendi(gaussian(3, 3, 1), images); });
    expect_error(ErrorCode::usage, "one encoder", [&] { scendi(gaussian(4, 2, 1), images); });
    expect_error(ErrorCode::usage, "sigma", [&] { scendi(images, images, ScendiOptions{.sigma = 0}); });
    expect_error(ErrorCode::model_invalid, "row 0", [&] { scendi(images * NAN, images); });
}

}  // namespace
}  // namespace gass
