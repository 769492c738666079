#include "metrics/squared_distances.h"

#include "support/expect_error.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

namespace gass {
namespace {

using test::expect_error;

at::Tensor random_rows(std::int64_t count, std::int64_t width, std::uint64_t seed = 1) {
    return at::randn({count, width}, at::detail::createCPUGenerator(seed), at::kFloat);
}

at::Tensor squared_distances(const at::Tensor& rows) {
    const at::Tensor exact = rows.to(at::kDouble);
    return (exact.unsqueeze(0) - exact.unsqueeze(1)).square().sum(-1);
}

TEST(MeanSquaredDistance, IsTheMeanOverPairs) {
    for (const std::int64_t count : {std::int64_t{2}, std::int64_t{7}}) {
        const at::Tensor rows = random_rows(count, 20) + 50;
        const at::Tensor all = squared_distances(rows);
        const Estimate estimate = mean_squared_distance(rows);
        const auto pairs = static_cast<double>(count * (count - 1));
        EXPECT_NEAR(estimate.value, all.sum().item<double>() / pairs, 1e-9);
        const at::Tensor to_others = all.sum(1) / static_cast<double>(count - 1);
        EXPECT_TRUE(at::allclose(estimate.influence / 2 + estimate.value, to_others, 1e-9, 1e-9));
    }
    EXPECT_EQ(mean_squared_distance(at::ones({4, 3})).value, 0);
    expect_error(ErrorCode::usage, "two images", [] { mean_squared_distance(at::ones({1, 3})); });
    expect_error(ErrorCode::model_invalid, "row 1", [] {
        mean_squared_distance(at::tensor({1.0F, NAN}).view({2, 1}));
    });
}

TEST(OwnAxes, KeepProductsAndDistances) {
    const at::Tensor wide = random_rows(5, 40'000);  // more than one part
    const at::Tensor narrow = along_own_axes(wide);
    EXPECT_EQ(narrow.sizes(), (std::vector<std::int64_t>{5, 5}));
    EXPECT_TRUE(at::allclose(squared_distances(narrow), squared_distances(wide), 1e-9, 1e-6));
    EXPECT_TRUE(
        at::allclose(narrow.mm(narrow.t()), wide.to(at::kDouble).mm(wide.to(at::kDouble).t()), 1e-9, 1e-6));
    EXPECT_NEAR(mean_squared_distance(narrow).value, mean_squared_distance(wide).value, 1e-6);
    const at::Tensor alike = along_own_axes(wide.narrow(0, 0, 1).expand({3, 40'000}));
    EXPECT_NEAR(mean_squared_distance(alike).value, 0, 1e-9);
    EXPECT_TRUE(along_own_axes(random_rows(9, 4)).equal(random_rows(9, 4)));
    EXPECT_EQ(along_own_axes(random_rows(1, 4)).size(0), 1);
    expect_error(ErrorCode::model_invalid, "row 0", [] { along_own_axes(at::full({2, 9}, NAN)); });
}

}  // namespace
}  // namespace gass
