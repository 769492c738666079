#include "sphere/axes.h"

#include "sphere/decomposition.h"
#include "sphere/groups.h"
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
using test::skewness;
using test::stream;

double largest(const at::Tensor& numbers) {
    return numbers.numel() == 0 ? 0.0 : numbers.abs().max().item<double>();
}

RC_GTEST_PROP(Axes, CandidatesAreOrthonormalAndAcrossThePrompt, (std::uint32_t seed)) {
    const Group group = any_group();
    const auto count = *rc::gen::inRange<std::int64_t>(1, 60);
    const at::Tensor candidates = residual_candidates(group.prompt, count, stream(seed));
    RC_ASSERT(candidates.size(0) == std::min(count, group.prompt.size(0) - 1));
    RC_ASSERT(skewness(candidates) < 1e-12);
    RC_ASSERT(largest(candidates.mv(group.prompt)) < 1e-12);
    const at::Tensor rounded = residual_candidates(group.prompt.to(at::kFloat), count, stream(seed));
    RC_ASSERT(rounded.scalar_type() == at::kFloat);
    RC_ASSERT(skewness(rounded.to(at::kDouble)) < 1e-6);
    RC_ASSERT(largest(rounded.to(at::kDouble).mv(group.prompt)) < 1e-6);
}

TEST(Axes, CandidatesFollowTheirStream) {
    const at::Tensor prompt = isotropic_group(1, 512, 0.8, 1).prompt;
    const at::Tensor one = residual_candidates(prompt, 10, stream(1));
    EXPECT_TRUE(at::equal(one, residual_candidates(prompt, 10, stream(1))));
    EXPECT_FALSE(at::equal(one, residual_candidates(prompt, 10, stream(2))));
    EXPECT_TRUE(at::equal(one.narrow(0, 0, 4), residual_candidates(prompt, 4, stream(1))));
}

TEST(Axes, CandidatesExistForAnyPrompt) {
    EXPECT_EQ(residual_candidates(at::ones({1}), 10, stream(1)).size(0), 0);
    EXPECT_LT(skewness(residual_candidates(at::zeros({5}, at::kDouble), 10, stream(1))), 1e-12);
    const at::Tensor along_a_coordinate = at::eye(5, at::kDouble)[2];
    EXPECT_LT(largest(residual_candidates(along_a_coordinate, 10, stream(1)).mv(along_a_coordinate)), 1e-12);
}

RC_GTEST_PROP(Axes, TheDominantCandidateHasTheLargestMeanAbsoluteProjection, (std::uint32_t seed)) {
    const Group group = any_group();
    const at::Tensor candidates = residual_candidates(group.prompt, 10, stream(seed));
    double best = -1;
    at::Tensor expected;
    for (const at::Tensor& candidate : candidates.unbind(0)) {
        double sum = 0;
        for (const at::Tensor& embedding : group.embeddings.unbind(0))
            sum += std::abs(embedding.dot(candidate).item<double>());
        if (sum > best) {
            best = sum;
            expected = candidate;
        }
    }
    const at::Tensor order = any_order(group.embeddings.size(0));
    RC_ASSERT(at::equal(dominant_candidate(group.embeddings, candidates), expected));
    RC_ASSERT(at::equal(dominant_candidate(group.embeddings.index_select(0, order), candidates), expected));
    const Basis basis = dominant_basis(group.embeddings, group.prompt, 10, stream(seed));
    RC_ASSERT(at::equal(basis.independent, expected));
    RC_ASSERT(distance(basis.dependent, group.prompt) < 1e-12);
}

RC_GTEST_PROP(Axes, TheAblationsAreOrthonormalBases, (std::uint32_t seed)) {
    const Group group = any_group();
    for (const auto dtype : {at::kFloat, at::kDouble}) {
        const at::Tensor prompt = group.prompt.to(dtype);
        for (const Basis& basis :
             {random_direction_basis(prompt, stream(seed)), isotropic_basis(prompt, stream(seed)),
              dominant_basis(group.embeddings, prompt, 10, stream(seed))}) {
            RC_ASSERT(basis.dependent.scalar_type() == dtype);
            RC_ASSERT(skewness(at::stack({basis.dependent, basis.independent}).to(at::kDouble)) < 1e-6);
        }
    }
    RC_ASSERT(distance(random_direction_basis(group.prompt, stream(seed)).dependent, group.prompt) < 1e-12);
    const at::Tensor other_prompt = at::ones_like(group.prompt);
    RC_ASSERT(at::equal(isotropic_basis(group.prompt, stream(seed)).dependent,
                        isotropic_basis(other_prompt, stream(seed)).dependent));
}

RC_GTEST_PROP(PrincipalAxes, AreOrthonormalAndAcrossThePrompt, ()) {
    const Group group = any_group();
    const auto [directions, energies] = principal_axes(group.embeddings, group.prompt, 100);
    RC_ASSERT(directions.size(0) == energies.size(0));
    RC_ASSERT(directions.size(0) == std::min(group.embeddings.size(0) - 1, group.prompt.size(0) - 1));
    RC_ASSERT(skewness(directions) < 1e-9);
    RC_ASSERT(largest(directions.mv(group.prompt)) < 1e-9);
    const at::Tensor rounded =
        principal_axes(group.embeddings.to(at::kFloat), group.prompt.to(at::kFloat), 3).directions;
    RC_ASSERT(rounded.scalar_type() == at::kFloat);
    RC_ASSERT(skewness(rounded.to(at::kDouble)) < 1e-6);
    RC_ASSERT(largest(rounded.to(at::kDouble).mv(group.prompt)) < 1e-6);
}

RC_GTEST_PROP(PrincipalAxes, EnergiesAreTheEigenvaluesOfTheCovariance, ()) {
    const Group group = any_group(2);
    const auto [directions, energies] = principal_axes(group.embeddings, group.prompt, 100);
    const at::Tensor residuals = decompose(group.embeddings, group.prompt).residuals;
    const at::Tensor centred = residuals - residuals.mean(0, true);
    const at::Tensor covariance = centred.t().matmul(centred) / centred.size(0);
    const at::Tensor expected = at::linalg_eigvalsh(covariance).flip(0).narrow(0, 0, energies.size(0));
    RC_ASSERT(distance(energies, expected) < 1e-12);
    RC_ASSERT(distance(centred.matmul(directions.t()).square().mean(0), energies) < 1e-12);
    RC_ASSERT(distance(covariance.matmul(directions.t()), directions.t() * energies) < 1e-12);
}

RC_GTEST_PROP(PrincipalAxes, HoldMoreVarianceThanAnyOtherDirection, (std::uint32_t seed)) {
    const Group group = any_group(2);
    const at::Tensor candidates = residual_candidates(group.prompt, 10, stream(seed));
    const at::Tensor energies = group.embeddings.matmul(candidates.t()).var(0, /*unbiased=*/false);
    const at::Tensor first = principal_axes(group.embeddings, group.prompt, 1).energies;
    RC_ASSERT(first.item<double>() >= energies.max().item<double>() - 1e-12);
}

RC_GTEST_PROP(PrincipalAxes, DoNotDependOnTheImagesOrder, ()) {
    const Group group = any_group();
    const at::Tensor order = any_order(group.embeddings.size(0));
    const PrincipalAxes one = principal_axes(group.embeddings, group.prompt, 3);
    const PrincipalAxes other = principal_axes(group.embeddings.index_select(0, order), group.prompt, 3);
    RC_ASSERT(distance(one.energies, other.energies) < 1e-12);
    RC_ASSERT(distance(one.directions, other.directions) < 1e-6);
}

TEST(PrincipalAxes, AreAsManyAsTheGroupVariesIn) {
    const Group group = isotropic_group(3, 64, 0.8, 1);
    const auto count = [&](const at::Tensor& embeddings) {
        const PrincipalAxes axes = principal_axes(embeddings, group.prompt, 8);
        EXPECT_EQ(axes.directions.size(1), 64);
        return axes.directions.size(0);
    };
    EXPECT_EQ(count(group.embeddings), 2);
    EXPECT_EQ(count(group.embeddings.repeat({4, 1})), 2);
    EXPECT_EQ(count(group.embeddings.narrow(0, 0, 2)), 1);
    EXPECT_EQ(count(group.embeddings.narrow(0, 0, 1)), 0);
    for (const auto dtype : {at::kBFloat16, at::kFloat, at::kDouble})
        EXPECT_EQ(count(group.embeddings[0].expand({7, 64}).to(dtype)), 0);
    // Images that differ along the prompt only, at its place and beside it.
    EXPECT_EQ(count(at::arange(1, 6, at::kDouble).outer(group.prompt)), 0);
    EXPECT_EQ(count(group.embeddings[0] + at::arange(1, 6, at::kDouble).outer(group.prompt)), 0);
}

TEST(PrincipalAxes, RefuseWhatIsNotFinite) {
    const Group group = isotropic_group(3, 64, 0.8, 1);
    group.embeddings[1][5] = std::numeric_limits<double>::quiet_NaN();
    const auto refuses = [](const auto& action) {
        gass::test::expect_error(ErrorCode::failure, "finite", action);
    };
    refuses([&] { principal_axes(group.embeddings, group.prompt, 2); });
    refuses([&] { dominant_basis(group.embeddings, group.prompt, 10, stream(1)); });
    refuses([&] { residual_candidates(group.embeddings[1], 10, stream(1)); });
}

}  // namespace
}  // namespace gass::sphere
