#include "sphere/targets.h"

#include "sphere/decomposition.h"
#include "sphere/groups.h"
#include "sphere/spread.h"
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

double any_range() {
    return *rc::gen::inRange(0, 300) / 1000.0;
}

/// The prompt and up to three principal axes: what the method moves along.
at::Tensor axes_of(const Group& group) {
    const at::Tensor across = principal_axes(group.embeddings, group.prompt, 3).directions;
    return at::cat({group.prompt.unsqueeze(0), across});
}

/// Projections less the mean projection of `group`. [B, k]
at::Tensor places(const at::Tensor& targets, const Group& group, const at::Tensor& axes) {
    return (targets - group.embeddings.mean(0)).matmul(axes.t());
}

RC_GTEST_PROP(PaperTargets, AreEquation6, (std::uint32_t seed)) {
    const Group group = any_group();
    const Basis basis = dominant_basis(group.embeddings, group.prompt, 10, stream(seed));
    const Shifts shifts = draw_shifts(group.embeddings.size(0), any_range(), any_range(), stream(seed));
    const at::Tensor along = group.embeddings.mv(basis.dependent);
    const at::Tensor across = group.embeddings.mv(basis.independent);
    const at::Tensor rest = group.embeddings - along.outer(basis.dependent) - across.outer(basis.independent);
    const at::Tensor expected = (along + shifts.dependent).outer(basis.dependent) +
                                (across + shifts.independent).outer(basis.independent) + rest;
    const at::Tensor targets = expanded(group.embeddings, basis, shifts);
    RC_ASSERT(distance(targets, expected) < 1e-12);
    RC_ASSERT(distance(unit_vectors(targets).norm(2, 1), at::ones(targets.size(0), at::kDouble)) < 1e-12);
}

RC_GTEST_PROP(PaperTargets, WithoutShiftsAreTheEmbeddings, (std::uint32_t seed)) {
    const Group group = any_group();
    const Basis basis = dominant_basis(group.embeddings, group.prompt, 10, stream(seed));
    const Shifts none = draw_shifts(group.embeddings.size(0), 0, 0, stream(seed));
    for (const auto dtype : {at::kBFloat16, at::kFloat, at::kDouble}) {
        const at::Tensor embeddings = group.embeddings.to(dtype);
        RC_ASSERT(at::equal(expanded(embeddings, basis, none), embeddings));
    }
    RC_ASSERT(distance(unit_vectors(expanded(group.embeddings, basis, none)), group.embeddings) < 1e-14);
}

RC_GTEST_PROP(PaperTargets, ArePermutedWithTheGroup, (std::uint32_t seed)) {
    const Group group = any_group();
    const at::Tensor order = any_order(group.embeddings.size(0));
    const Basis basis = isotropic_basis(group.prompt, stream(seed));
    const auto [dependent, independent] = draw_shifts(group.embeddings.size(0), 0.1, 0.1, stream(seed));
    const at::Tensor targets = expanded(group.embeddings, basis, {dependent, independent});
    const Shifts permuted{dependent.index_select(0, order), independent.index_select(0, order)};
    RC_ASSERT(distance(expanded(group.embeddings.index_select(0, order), basis, permuted),
                       targets.index_select(0, order)) < 1e-14);
}

TEST(PaperTargets, DrawTheirShiftsUniformly) {
    const auto [dependent, independent] = draw_shifts(100'000, 0.02, 0.05, stream(1));
    for (const auto& [shifts, range] : {std::pair{dependent, 0.02}, std::pair{independent, 0.05}}) {
        EXPECT_LE(shifts.abs().max().item<double>(), range);
        EXPECT_GT(shifts.abs().max().item<double>(), 0.999 * range);
        EXPECT_NEAR(shifts.mean().item<double>(), 0, 0.01 * range);
        EXPECT_NEAR(shifts.square().mean().item<double>(), range * range / 3, 0.01 * range * range);
    }
    EXPECT_LT(std::abs((dependent * independent).mean().item<double>()), 0.01 * 0.02 * 0.05);
}

RC_GTEST_PROP(Ladder, KeepsRanksAndMovesNobodyInwards, ()) {
    const Group group = any_group();
    const at::Tensor axes = axes_of(group);
    const at::Tensor before = places(group.embeddings, group, axes);
    const at::Tensor after = places(on_ladder(group.embeddings, axes, any_range()), group, axes);
    RC_ASSERT((after.abs() >= before.abs() - 1e-12).all().item<bool>());
    for (std::int64_t axis = 0; axis < axes.size(0); ++axis) {
        const at::Tensor ranked = after.select(1, axis).index_select(0, before.select(1, axis).argsort());
        RC_ASSERT((ranked.diff() >= -1e-12).all().item<bool>());
    }
}

RC_GTEST_PROP(Ladder, PutsEachImageOnItsRungOrLeavesIt, ()) {
    const Group group = any_group(2);
    const at::Tensor axes = axes_of(group);
    const double width = any_range();
    const at::Tensor before = places(group.embeddings, group, axes);
    const at::Tensor after = places(on_ladder(group.embeddings, axes, width), group, axes);
    const std::int64_t images = before.size(0);
    for (std::int64_t axis = 0; axis < axes.size(0); ++axis) {
        for (std::int64_t i = 0; i < images; ++i) {
            const double own = before[i][axis].item<double>();
            const auto rank = (before.select(1, axis) < own).sum().item<double>();
            const double rung = width * (2 * rank / static_cast<double>(images - 1) - 1);
            const double expected = std::abs(rung) > std::abs(own) ? rung : own;
            RC_ASSERT(std::abs(after[i][axis].item<double>() - expected) < 1e-9);
        }
    }
}

RC_GTEST_PROP(Ladder, MovesAlongItsAxesOnly, ()) {
    const Group group = any_group();
    const at::Tensor axes = axes_of(group);
    const at::Tensor moves = on_ladder(group.embeddings, axes, any_range()) - group.embeddings;
    RC_ASSERT(distance(moves.matmul(axes.t()).matmul(axes), moves) < 1e-9);
}

RC_GTEST_PROP(Ladder, NeverNarrowsTheGroup, ()) {
    const Group group = any_group(2);
    const Basis basis{group.prompt, principal_axes(group.embeddings, group.prompt, 1).directions[0]};
    const double width = any_range();
    const at::Tensor axes = at::stack({basis.dependent, basis.independent});
    const Spread before = spread(group.embeddings, basis);
    const Spread after = spread(on_ladder(group.embeddings, axes, width), basis);
    RC_ASSERT(after.dependent >= std::max(before.dependent, 2 * width) - 1e-9);
    RC_ASSERT(after.independent >= std::max(before.independent, 2 * width) - 1e-9);
}

RC_GTEST_PROP(Ladder, IsPermutedWithTheGroup, ()) {
    const Group group = any_group();
    const at::Tensor axes = axes_of(group);
    const double width = any_range();
    const at::Tensor order = any_order(group.embeddings.size(0));
    RC_ASSERT(distance(on_ladder(group.embeddings.index_select(0, order), axes, width),
                       on_ladder(group.embeddings, axes, width).index_select(0, order)) < 1e-9);
}

/// Images whose projections are exactly equal rank by the other coordinates.
RC_GTEST_PROP(Ladder, BreaksTiesTheSameWayInAnyOrder, (std::uint32_t seed)) {
    const auto images = *rc::gen::inRange<std::int64_t>(2, 10);
    const at::Tensor embeddings = at::randn({images, 6}, stream(seed), at::kDouble);
    embeddings.select(1, 0).copy_(at::randint(3, {images}, stream(seed), at::kDouble));
    const at::Tensor axis = at::eye(6, at::kDouble).narrow(0, 0, 1);
    const at::Tensor targets = on_ladder(embeddings, axis, 5.0);
    const at::Tensor order = any_order(images);
    RC_ASSERT(distance(on_ladder(embeddings.index_select(0, order), axis, 5.0),
                       targets.index_select(0, order)) < 1e-12);
    const at::Tensor ranks = (embeddings.select(1, 0) * 100 + embeddings.select(1, 1)).argsort().argsort();
    const at::Tensor rungs = at::linspace(-5, 5, images, at::kDouble).index_select(0, ranks);
    const at::Tensor own = embeddings.select(1, 0) - embeddings.select(1, 0).mean();
    const at::Tensor expected = at::where(rungs.abs() > own.abs(), rungs, own);
    RC_ASSERT(distance(targets.select(1, 0) - embeddings.select(1, 0).mean(), expected) < 1e-12);
}

TEST(Ladder, OfFewImages) {
    const Group group = isotropic_group(2, 64, 0.8, 1);
    const at::Tensor axes = axes_of(group);
    ASSERT_EQ(axes.size(0), 2);
    const at::Tensor pair = places(on_ladder(group.embeddings, axes, 1.0), group, axes);
    EXPECT_LT(distance(pair.abs(), at::ones_like(pair)), 1e-12);
    const at::Tensor one = group.embeddings.narrow(0, 0, 1);
    EXPECT_TRUE(at::equal(on_ladder(one, axes, 1.0), one));
    EXPECT_TRUE(at::equal(on_ladder(group.embeddings, axes, 0.0), group.embeddings));
    EXPECT_TRUE(at::equal(on_ladder(group.embeddings, axes.narrow(0, 0, 0), 1.0), group.embeddings));
}

RC_GTEST_PROP(Amplification, ScalesDeviationsAlongTheAxesAndKeepsTheMean, ()) {
    const Group group = any_group();
    const at::Tensor axes = axes_of(group);
    const double gain = *rc::gen::inRange(-100, 300) / 100.0;
    const at::Tensor targets = amplified(group.embeddings, axes, gain);
    RC_ASSERT(distance(targets.mean(0), group.embeddings.mean(0)) < 1e-12);
    RC_ASSERT(distance(places(targets, group, axes), (1 + gain) * places(group.embeddings, group, axes)) <
              1e-9);
    const at::Tensor moves = targets - group.embeddings;
    RC_ASSERT(distance(moves.matmul(axes.t()).matmul(axes), moves) < 1e-9);
    const at::Tensor order = any_order(group.embeddings.size(0));
    RC_ASSERT(distance(amplified(group.embeddings.index_select(0, order), axes, gain),
                       targets.index_select(0, order)) < 1e-12);
}

TEST(Targets, KeepTheirDtypeAndRefuseWhatIsNotFinite) {
    const Group group = isotropic_group(5, 64, 0.8, 1);
    const at::Tensor axes = axes_of(group);
    const Basis basis = random_direction_basis(group.prompt, stream(1));
    const Shifts shifts = draw_shifts(5, 0.02, 0.02, stream(1));
    for (const auto dtype : {at::kBFloat16, at::kHalf, at::kFloat}) {
        const at::Tensor embeddings = group.embeddings.to(dtype);
        const double tolerance = dtype == at::kFloat ? 1e-6 : 1e-2;
        const auto expect_close = [&](const at::Tensor& found, const at::Tensor& expected) {
            EXPECT_EQ(found.scalar_type(), dtype);
            EXPECT_LT(distance(found, expected), tolerance);
        };
        expect_close(expanded(embeddings, basis, shifts), expanded(group.embeddings, basis, shifts));
        expect_close(on_ladder(embeddings, axes, 0.2), on_ladder(group.embeddings, axes, 0.2));
        expect_close(amplified(embeddings, axes, 0.5), amplified(group.embeddings, axes, 0.5));
    }
    group.embeddings[0][0] = std::numeric_limits<double>::quiet_NaN();
    const auto refuses = [](const auto& action) {
        gass::test::expect_error(ErrorCode::failure, "finite", action);
    };
    refuses([&] { expanded(group.embeddings, basis, shifts); });
    refuses([&] { on_ladder(group.embeddings, axes, 0.2); });
    refuses([&] { amplified(group.embeddings, axes, 0.5); });
}

}  // namespace
}  // namespace gass::sphere
