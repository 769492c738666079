#include "sphere/decomposition.h"

#include "sphere/groups.h"
#include "support/expect_error.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace gass::sphere {
namespace {

using gass::test::expect_error;
using test::any_group;
using test::distance;
using test::Group;

RC_GTEST_PROP(Decomposition, PutsTogetherWhatItTookApart, ()) {
    const Group group = any_group();
    const auto [projections, residuals] = decompose(group.embeddings, group.prompt);
    RC_ASSERT(distance(projections.outer(group.prompt) + residuals, group.embeddings) < 1e-14);
    RC_ASSERT(residuals.mv(group.prompt).abs().max().item<double>() < 1e-14);
    RC_ASSERT(distance(projections, group.embeddings.mv(group.prompt)) < 1e-14);
}

RC_GTEST_PROP(Decomposition, AnAxisCountsByItsDirection, ()) {
    const Group group = any_group();
    const double length = *rc::gen::inRange(1, 1000) / 100.0;
    const Decomposition one = decompose(group.embeddings, group.prompt);
    const Decomposition other = decompose(group.embeddings, length * group.prompt);
    RC_ASSERT(distance(one.projections, other.projections) < 1e-14);
    RC_ASSERT(distance(one.residuals, other.residuals) < 1e-14);
}

RC_GTEST_PROP(Decomposition, UnitVectorsHaveLengthOne, (std::uint32_t seed)) {
    const at::Tensor rows = at::randn({5, 7}, test::stream(seed), at::kDouble) * 100;
    RC_ASSERT(distance(unit_vectors(rows).norm(2, 1), at::ones(5, at::kDouble)) < 1e-14);
    RC_ASSERT(distance(unit_vectors(3 * rows), unit_vectors(rows)) < 1e-14);
}

TEST(Decomposition, AVectorWithoutDirectionStaysZero) {
    const at::Tensor rows = at::tensor({0.0, 0.0, 3.0, 4.0}).view({2, 2});
    EXPECT_TRUE(at::allclose(unit_vectors(rows), at::tensor({0.0, 0.0, 0.6, 0.8}).view({2, 2})));
}

TEST(Decomposition, KeepsDtypeAndDropsGradient) {
    const Group group = test::isotropic_group(4, 16, 0.8, 1);
    for (const auto dtype : {at::kBFloat16, at::kHalf, at::kFloat, at::kDouble}) {
        at::Tensor embeddings = group.embeddings.to(dtype, /*non_blocking=*/false, /*copy=*/true);
        embeddings.requires_grad_(true);
        const auto [projections, residuals] = decompose(embeddings, group.prompt);
        EXPECT_EQ(residuals.scalar_type(), dtype);
        EXPECT_EQ(projections.scalar_type(), dtype);
        EXPECT_FALSE(residuals.requires_grad());
        EXPECT_EQ(unit_vectors(embeddings).scalar_type(), dtype);
    }
}

TEST(Decomposition, RefusesWhatIsNotFinite) {
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        const Group group = test::isotropic_group(4, 16, 0.8, 1);
        group.embeddings[2][3] = bad;
        expect_error(ErrorCode::failure, "1 of 64 numbers", [&] { unit_vectors(group.embeddings); });
        expect_error(ErrorCode::failure, "finite", [&] { decompose(group.embeddings, group.prompt); });
        expect_error(ErrorCode::failure, "finite",
                     [&] { named_axis(group.embeddings[0], group.embeddings[2], group.prompt); });
    }
}

RC_GTEST_PROP(NamedAxis, PointsFromOneTextToTheOtherAcrossThePrompt, ()) {
    const Group group = any_group(2, 8);
    const at::Tensor from = group.embeddings[0];
    const at::Tensor to = group.embeddings[1];
    const auto axis = named_axis(from, to, group.prompt);
    RC_ASSERT(axis.has_value());
    RC_ASSERT(std::abs(axis->norm().item<double>() - 1) < 1e-12);
    RC_ASSERT(std::abs(axis->dot(group.prompt).item<double>()) < 1e-12);
    RC_ASSERT(axis->dot(to - from).item<double>() > 0);
    RC_ASSERT(distance(*named_axis(to, from, group.prompt), -*axis) < 1e-12);
}

TEST(NamedAxis, IsNothingWithoutADifferenceAcrossThePrompt) {
    for (const auto dtype : {at::kBFloat16, at::kFloat, at::kDouble}) {
        const Group group = test::isotropic_group(2, 512, 0.8, 1);
        const at::Tensor text = group.embeddings[0].to(dtype);
        const at::Tensor prompt = group.prompt.to(dtype);
        EXPECT_EQ(named_axis(text, text, prompt), std::nullopt);
        EXPECT_EQ(named_axis(text, (group.embeddings[0] + 0.5 * group.prompt).to(dtype), prompt),
                  std::nullopt);
        EXPECT_EQ(named_axis(-prompt, prompt, prompt), std::nullopt);
        EXPECT_TRUE(named_axis(text, group.embeddings[1].to(dtype), prompt).has_value());
    }
}

}  // namespace
}  // namespace gass::sphere
