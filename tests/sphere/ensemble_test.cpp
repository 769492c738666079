#include "sphere/ensemble.h"

#include "sphere/axes.h"
#include "sphere/groups.h"
#include "sphere/targets.h"
#include "support/expect_error.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace gass::sphere {
namespace {

using test::any_group;
using test::any_order;
using test::distance;
using test::Group;
using test::isotropic_group;
using test::stream;

at::Tensor latents_for(const Group& group, std::uint64_t seed) {
    return at::randn({group.embeddings.size(0), 2, 3, 4}, stream(seed), at::kDouble);
}

at::Tensor random_moves(const Group& group, std::uint64_t seed) {
    return at::randn(group.embeddings.sizes(), stream(seed), at::kDouble);
}

double any_ridge() {
    return *rc::gen::inRange(0, 200) / 100.0;
}

at::Tensor centred(const at::Tensor& rows) {
    return rows - rows.mean(0, true);
}

RC_GTEST_PROP(Ensemble, AmplifyingEverythingAmplifiesTheLatents, (std::uint32_t seed)) {
    const Group group = any_group(1, 20);
    const double gain = *rc::gen::inRange(-100, 200) / 100.0;
    const at::Tensor across = principal_axes(group.embeddings, group.prompt, 100).directions;
    const at::Tensor all_axes = at::cat({group.prompt.unsqueeze(0), across});
    const at::Tensor wanted = amplified(group.embeddings, all_axes, gain) - group.embeddings;
    const at::Tensor latents = latents_for(group, seed);
    const at::Tensor moves = ensemble_moves(ensemble_coefficients(group.embeddings, wanted, 0), latents);
    RC_ASSERT(distance(moves, gain * centred(latents)) < 1e-6);
}

RC_GTEST_PROP(Ensemble, KeepsTheMeanLatentWhereTheMovesKeepTheMeanEmbedding, (std::uint32_t seed)) {
    const Group group = any_group();
    const at::Tensor wanted = centred(random_moves(group, seed));
    const at::Tensor coefficients = ensemble_coefficients(group.embeddings, wanted, any_ridge());
    RC_ASSERT(coefficients.sum(0).abs().max().item<double>() < 1e-9);
    RC_ASSERT(ensemble_moves(coefficients, latents_for(group, seed)).mean(0).abs().max().item<double>() <
              1e-9);
}

/// The normal equations α (D Dᵀ + λ) = W Dᵀ, which the implementation does not solve as such.
RC_GTEST_PROP(Ensemble, CoefficientsAreTheRidgeRegression, (std::uint32_t seed)) {
    const Group group = any_group();
    const at::Tensor wanted = random_moves(group, seed);
    const double ridge = any_ridge();
    const at::Tensor own = centred(group.embeddings);
    const at::Tensor gram = own.matmul(own.t());
    const at::Tensor penalty = ridge * gram.trace() / gram.size(0) * at::eye(gram.size(0), at::kDouble);
    const at::Tensor coefficients = ensemble_coefficients(group.embeddings, wanted, ridge);
    RC_ASSERT(distance(coefficients.matmul(gram + penalty), wanted.matmul(own.t())) < 1e-9);
}

RC_GTEST_PROP(Ensemble, ReachesWhatTheGroupsDeviationsCanExpress, (std::uint32_t seed)) {
    const Group group = any_group(2);
    const std::int64_t images = group.embeddings.size(0);
    const at::Tensor mixture = at::randn({images, images}, stream(seed), at::kDouble);
    const at::Tensor wanted = mixture.matmul(centred(group.embeddings));
    const at::Tensor coefficients = ensemble_coefficients(group.embeddings, wanted, 0);
    RC_ASSERT(distance(coefficients.matmul(centred(group.embeddings)), wanted) < 1e-6);
}

RC_GTEST_PROP(Ensemble, ARidgeShortensMoves, (std::uint32_t seed)) {
    const Group group = any_group(2);
    const at::Tensor wanted = random_moves(group, seed);
    const double ridge = any_ridge();
    const auto size = [&](double of) {
        return ensemble_coefficients(group.embeddings, wanted, of).norm().item<double>();
    };
    RC_ASSERT(size(ridge + 0.1) < size(ridge));
}

RC_GTEST_PROP(Ensemble, IsPermutedWithTheGroup, (std::uint32_t seed)) {
    const Group group = any_group();
    const at::Tensor wanted = random_moves(group, seed);
    const at::Tensor latents = latents_for(group, seed + 1ULL);
    const at::Tensor order = any_order(latents.size(0));
    const double ridge = any_ridge() + 0.01;
    const auto permuted = [&](const at::Tensor& rows) { return rows.index_select(0, order); };
    const at::Tensor moves = ensemble_moves(ensemble_coefficients(group.embeddings, wanted, ridge), latents);
    const at::Tensor same = ensemble_moves(
        ensemble_coefficients(permuted(group.embeddings), permuted(wanted), ridge), permuted(latents));
    RC_ASSERT(distance(same, permuted(moves)) < 1e-9);
    RC_ASSERT(distance(in_trust_region(same, permuted(latents), 0.1),
                       permuted(in_trust_region(moves, latents, 0.1))) < 1e-9);
}

TEST(Ensemble, OneImageAndEqualImagesStay) {
    const Group group = isotropic_group(1, 64, 0.8, 1);
    for (const std::int64_t images : {1, 2, 7}) {
        for (const auto dtype : {at::kBFloat16, at::kFloat, at::kDouble}) {
            const Group equal{group.embeddings.expand({images, 64}).to(dtype), group.prompt};
            const at::Tensor latents = latents_for(equal, 1);
            const at::Tensor wanted = on_ladder(equal.embeddings, group.prompt.unsqueeze(0), 0.1) -
                                      equal.embeddings + random_moves(equal, 2);
            for (const double ridge : {0.0, 0.1}) {
                const at::Tensor moves =
                    ensemble_moves(ensemble_coefficients(equal.embeddings, wanted, ridge), latents);
                EXPECT_TRUE(at::equal(moves, at::zeros_like(latents)));
                EXPECT_TRUE(at::equal(in_trust_region(moves, latents, 0.1), moves));
            }
        }
    }
}

TEST(Ensemble, TwoImagesMoveApartAlongTheirDifference) {
    const Group group = isotropic_group(2, 64, 0.8, 1);
    const at::Tensor latents = latents_for(group, 1);
    const at::Tensor axis = principal_axes(group.embeddings, group.prompt, 1).directions;
    const at::Tensor wanted = on_ladder(group.embeddings, axis, 1.0) - group.embeddings;
    const at::Tensor moves = ensemble_moves(ensemble_coefficients(group.embeddings, wanted, 0.1), latents);
    const at::Tensor difference = latents[0] - latents[1];
    const double along = (moves[0] * difference).sum().item<double>();
    EXPECT_GT(along, 0);
    EXPECT_NEAR(along, (moves[0].norm() * difference.norm()).item<double>(), 1e-9);
    EXPECT_LT(distance(moves[0], -moves[1]), 1e-12);
}

TEST(Ensemble, KeepsTheLatentsDtype) {
    const Group group = isotropic_group(6, 64, 0.8, 1);
    const at::Tensor latents = latents_for(group, 1);
    const at::Tensor coefficients = ensemble_coefficients(group.embeddings, random_moves(group, 2), 0.5);
    const at::Tensor moves = ensemble_moves(coefficients, latents);
    const at::Tensor limited = in_trust_region(moves, latents, 0.1);
    for (const auto dtype : {at::kBFloat16, at::kHalf, at::kFloat}) {
        const double tolerance = dtype == at::kFloat ? 1e-5 : 3e-2;
        const at::Tensor rounded = ensemble_moves(coefficients, latents.to(dtype));
        EXPECT_EQ(rounded.scalar_type(), dtype);
        EXPECT_LT(distance(rounded, moves), tolerance * moves.abs().max().item<double>());
        const at::Tensor shortened = in_trust_region(rounded, latents.to(dtype), 0.1);
        EXPECT_EQ(shortened.scalar_type(), dtype);
        EXPECT_LT(distance(shortened, limited), tolerance * limited.abs().max().item<double>());
    }
}

TEST(Ensemble, RefusesEmbeddingsThatAreNotFiniteAndPassesOnSuchLatents) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    Group group = isotropic_group(4, 64, 0.8, 1);
    const at::Tensor wanted = random_moves(group, 2);
    const at::Tensor latents = latents_for(group, 1);
    latents[1][0][0][0] = nan;
    const at::Tensor moves = ensemble_moves(ensemble_coefficients(group.embeddings, wanted, 0), latents);
    EXPECT_TRUE(in_trust_region(moves, latents, 0.1).isnan().any().item<bool>());
    group.embeddings[0][0] = nan;
    gass::test::expect_error(ErrorCode::failure, "finite",
                             [&] { ensemble_coefficients(group.embeddings, wanted, 0); });
    gass::test::expect_error(ErrorCode::failure, "finite",
                             [&] { ensemble_coefficients(wanted, group.embeddings, 0); });
}

RC_GTEST_PROP(TrustRegion, ShortensWhatIsTooLongAndNothingElse, (std::uint32_t seed)) {
    const at::Tensor latents = at::randn({6, 4, 5}, stream(seed), at::kDouble);
    const at::Tensor moves = at::randn({6, 4, 5}, stream(seed + 1ULL), at::kDouble) *
                             at::logspace(-2, 1, 6, 10.0, at::kDouble).view({6, 1, 1});
    const double radius = *rc::gen::inRange(0, 200) / 100.0;
    const at::Tensor limited = in_trust_region(moves, latents, radius);
    for (std::int64_t i = 0; i < 6; ++i) {
        const double allowed = radius * latents[i].norm().item<double>();
        const double wanted = moves[i].norm().item<double>();
        if (wanted <= allowed) {
            RC_ASSERT(at::equal(limited[i], moves[i]));
        } else {
            RC_ASSERT(distance(limited[i], moves[i] * (allowed / wanted)) < 1e-12);
        }
    }
}

TEST(TrustRegion, OfNoLatentHoldsNoMove) {
    const at::Tensor moves = at::ones({2, 3});
    EXPECT_TRUE(at::equal(in_trust_region(moves, at::zeros({2, 3}), 0.5), at::zeros({2, 3})));
    EXPECT_TRUE(at::equal(in_trust_region(at::zeros({2, 3}), at::zeros({2, 3}), 0.5), at::zeros({2, 3})));
}

}  // namespace
}  // namespace gass::sphere
