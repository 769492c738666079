#include "sphere/volume.h"

#include "sphere/groups.h"
#include "support/expect_error.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

namespace gass::sphere {
namespace {

using test::any_group;
using test::any_order;
using test::Group;
using test::isotropic_group;
using test::stream;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<std::int64_t> numbers(const at::Tensor& indices) {
    return {indices.const_data_ptr<std::int64_t>(), indices.const_data_ptr<std::int64_t>() + indices.numel()};
}

double volume_of(const at::Tensor& points, const at::Tensor& chosen) {
    return log_volume(points.index_select(0, chosen));
}

RC_GTEST_PROP(Volume, IsTheGramDeterminantOfTheEdges, ()) {
    const Group group = any_group(2, 20);
    const std::int64_t images = group.embeddings.size(0);
    const auto base = *rc::gen::inRange<std::int64_t>(0, images);
    std::vector<at::Tensor> edges;
    for (std::int64_t i = 0; i < images; ++i)
        if (i != base) edges.push_back(group.embeddings[i] - group.embeddings[base]);
    const at::Tensor matrix = at::stack(edges);
    double factorial = 1;
    for (std::int64_t i = 2; i < images; ++i) factorial *= static_cast<double>(i);
    const double volume = std::sqrt(at::linalg_det(matrix.matmul(matrix.t())).item<double>()) / factorial;
    RC_ASSERT(std::abs(log_volume(group.embeddings) - std::log(volume)) < 1e-6);
}

RC_GTEST_PROP(Volume, DoesNotDependOnOrderOrPlaceAndScalesWithItsDimension, ()) {
    const Group group = any_group(1, 20);
    const std::int64_t images = group.embeddings.size(0);
    const double volume = log_volume(group.embeddings);
    RC_ASSERT(std::abs(log_volume(group.embeddings.index_select(0, any_order(images))) - volume) < 1e-9);
    RC_ASSERT(std::abs(log_volume(group.embeddings + group.prompt) - volume) < 1e-9);
    const double scaled = volume + static_cast<double>(images - 1) * std::log(3.0);
    RC_ASSERT(std::abs(log_volume(3 * group.embeddings) - scaled) < 1e-9);
}

TEST(Volume, OfKnownShapes) {
    const at::Tensor corners = at::cat({at::zeros({1, 5}), 2 * at::eye(5)});
    EXPECT_NEAR(log_volume(corners.narrow(0, 0, 1)), 0, 1e-12);
    EXPECT_NEAR(log_volume(corners.narrow(0, 0, 2)), std::log(2.0), 1e-12);
    EXPECT_NEAR(log_volume(corners.narrow(0, 0, 3)), std::log(2.0), 1e-12);
    EXPECT_NEAR(log_volume(corners.narrow(0, 0, 4)), std::log(8.0 / 6), 1e-12);
    EXPECT_NEAR(log_volume(corners.to(at::kBFloat16)), std::log(32.0 / 120), 1e-12);
}

TEST(Volume, OfPointsInTooFewDimensionsIsZero) {
    const at::Tensor points = isotropic_group(4, 16, 0.8, 1).embeddings;
    EXPECT_EQ(log_volume(points.repeat({2, 1})), -kInfinity);
    EXPECT_EQ(log_volume(points[0].expand({2, 16})), -kInfinity);
    EXPECT_EQ(log_volume(at::cat({points, points.mean(0, true)})), -kInfinity);
    EXPECT_EQ(log_volume(isotropic_group(10, 8, 0.8, 1).embeddings), -kInfinity);
}

TEST(Volume, OfHundredsOfPointsIsANumber) {
    EXPECT_TRUE(std::isfinite(log_volume(isotropic_group(500, 512, 0.9, 1).embeddings)));
}

RC_GTEST_PROP(VolumeSubset, AddsThePointThatMakesTheVolumeLargest, ()) {
    const at::Tensor points = any_group(3, 20).embeddings;
    const std::vector<std::int64_t> chosen = numbers(largest_volume_subset(points, points.size(0)));
    const at::Tensor from_mean = (points - points.mean(0)).norm(2, 1);
    RC_ASSERT(chosen.front() == from_mean.argmax().item<std::int64_t>());
    for (std::size_t n = 1; n < chosen.size(); ++n) {
        const auto with = [&](std::int64_t last) {
            std::vector<std::int64_t> subset(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(n));
            subset.push_back(last);
            return volume_of(points, at::tensor(subset, at::kLong));
        };
        for (std::size_t other = n + 1; other < chosen.size(); ++other)
            RC_ASSERT(with(chosen[n]) >= with(chosen[other]) - 1e-6);
    }
}

RC_GTEST_PROP(VolumeSubset, IsDistinctAdmissibleAndAsLargeAsWanted, (std::uint32_t seed)) {
    const at::Tensor points = any_group(1).embeddings;
    const auto wanted = *rc::gen::inRange<std::int64_t>(0, 15);
    const at::Tensor admissible = at::rand({points.size(0)}, stream(seed)) < 0.6;
    const std::vector<std::int64_t> chosen = numbers(largest_volume_subset(points, wanted, admissible));
    RC_ASSERT(std::ssize(chosen) == std::min(wanted, admissible.sum().item<std::int64_t>()));
    RC_ASSERT(std::set<std::int64_t>(chosen.begin(), chosen.end()).size() == chosen.size());
    RC_ASSERT(std::ranges::all_of(chosen, [&](std::int64_t i) { return admissible[i].item<bool>(); }));
}

RC_GTEST_PROP(VolumeSubset, IsPermutedWithThePoints, ()) {
    const at::Tensor points = any_group(3, 20).embeddings;
    const at::Tensor order = any_order(points.size(0));
    const at::Tensor chosen = largest_volume_subset(points.index_select(0, order), 5);
    RC_ASSERT(at::equal(order.index_select(0, chosen), largest_volume_subset(points, 5)));
}

RC_GTEST_PROP(VolumeSubset, BesideGivenPointsAddsWhatMakesTheWholeLargest, ()) {
    const Group group = any_group(3, 16);
    const at::Tensor& points = group.embeddings;
    const auto before = *rc::gen::inRange<std::int64_t>(1, points.size(0) - 1);
    const at::Tensor given = points.narrow(0, 0, before);
    const at::Tensor candidates = points.narrow(0, before, points.size(0) - before);
    const at::Tensor chosen = largest_volume_subset(candidates, 1, std::nullopt, given);
    RC_ASSERT(chosen.numel() == 1);
    const auto volume = [&](std::int64_t i) {
        return log_volume(at::cat({given, candidates.narrow(0, i, 1)}));
    };
    const double reached = volume(chosen.item<std::int64_t>());
    for (std::int64_t i = 0; i < candidates.size(0); ++i) RC_ASSERT(reached >= volume(i) - 1e-6);
}

TEST(VolumeSubset, IsLargerThanARandomOne) {
    constexpr int kGroups = 100;
    int larger = 0;
    double gain = 0;
    for (std::uint64_t seed = 0; seed < kGroups; ++seed) {
        const at::Tensor points = isotropic_group(32, 512, 0.8, seed).embeddings;
        const at::Tensor random = at::randperm(32, stream(seed), at::kLong).narrow(0, 0, 8);
        const double difference =
            volume_of(points, largest_volume_subset(points, 8)) - volume_of(points, random);
        larger += difference > 0 ? 1 : 0;
        gain += difference / kGroups;
    }
    EXPECT_EQ(larger, kGroups);
    EXPECT_GT(gain, 0.1);
}

TEST(VolumeSubset, TakesOneOfEachKindFirst) {
    const at::Tensor kinds = isotropic_group(6, 64, 0.5, 1).embeddings;
    for (const auto dtype : {at::kFloat, at::kDouble, at::kBFloat16}) {
        const std::vector<std::int64_t> chosen =
            numbers(largest_volume_subset(kinds.repeat({4, 1}).to(dtype), 6));
        EXPECT_EQ(std::set<std::int64_t>(chosen.begin(), chosen.end()),
                  (std::set<std::int64_t>{0, 1, 2, 3, 4, 5}));
    }
}

TEST(VolumeSubset, OfMorePointsThanDimensions) {
    const at::Tensor points = isotropic_group(60, 8, 0.5, 1).embeddings;
    const std::vector<std::int64_t> chosen = numbers(largest_volume_subset(points, 60));
    EXPECT_EQ(std::set<std::int64_t>(chosen.begin(), chosen.end()).size(), 60U);
}

TEST(VolumeSubset, TakesTheFirstOfPointsThatAreEquallyFar) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const at::Tensor pair = isotropic_group(2, 64, 0.5, seed).embeddings;
        EXPECT_EQ(numbers(largest_volume_subset(pair, 2)), (std::vector<std::int64_t>{0, 1}));
        EXPECT_EQ(numbers(largest_volume_subset(pair.flip(0), 2)), (std::vector<std::int64_t>{0, 1}));
    }
}

TEST(VolumeSubset, OfEqualPointsIsTheFirstOnes) {
    const at::Tensor points = at::ones({7, 4});
    EXPECT_EQ(numbers(largest_volume_subset(points, 3)), (std::vector<std::int64_t>{0, 1, 2}));
    EXPECT_EQ(largest_volume_subset(points, 0).numel(), 0);
    EXPECT_EQ(largest_volume_subset(points, 2, at::zeros({7}, at::kBool)).numel(), 0);
}

TEST(VolumeSubset, LooksAtAdmissiblePointsOnly) {
    const at::Tensor points = isotropic_group(6, 16, 0.5, 1).embeddings;
    points[3].fill_(std::numeric_limits<double>::quiet_NaN());
    gass::test::expect_error(ErrorCode::failure, "finite", [&] { largest_volume_subset(points, 3); });
    const at::Tensor admissible = points.isfinite().all(1);
    EXPECT_EQ(largest_volume_subset(points, 6, admissible).numel(), 5);
    gass::test::expect_error(ErrorCode::failure, "finite", [&] { log_volume(points); });
}

}  // namespace
}  // namespace gass::sphere
