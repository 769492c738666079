#include "metrics/diversity.h"

#include "sphere/groups.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace gass {
namespace {

using sphere::test::any_group;
using sphere::test::any_order;

/// n unit vectors with the same cosine between any two.
at::Tensor equal_cosines(std::int64_t n, double cosine) {
    const at::Tensor gram = cosine * at::ones({n, n}, at::kDouble) + (1 - cosine) * at::eye(n, at::kDouble);
    return at::linalg_cholesky(gram);
}

TEST(Vendi, CountsWhatIsDifferent) {
    const at::Tensor axes = at::eye(6, at::kDouble);
    EXPECT_NEAR(vendi(axes), 6, 1e-9);
    EXPECT_NEAR(vendi(axes[0].expand({5, 6})), 1, 1e-9);
    EXPECT_NEAR(vendi(at::cat({axes.narrow(0, 0, 3), axes.narrow(0, 0, 3)})), 3, 1e-9);
    EXPECT_NEAR(vendi(axes.narrow(0, 0, 1)), 1, 1e-12);
}

TEST(Vendi, IsTheClosedFormForEqualCosines) {
    for (const double cosine : {0.1, 0.5, 0.9}) {
        const double first = (1 + 7 * cosine) / 8;
        const double other = (1 - cosine) / 8;
        const double entropy = -first * std::log(first) - 7 * other * std::log(other);
        EXPECT_NEAR(vendi(equal_cosines(8, cosine)), std::exp(entropy), 1e-9);
        EXPECT_NEAR(mean_pairwise_distance(equal_cosines(8, cosine)), 1 - cosine, 1e-9);
    }
}

RC_GTEST_PROP(Diversity, KnowsNoOrderAndStaysInRange, ()) {
    const auto group = any_group();
    const auto images = group.embeddings.size(0);
    const at::Tensor mixed = group.embeddings.index_select(0, any_order(images));
    RC_ASSERT(std::abs(vendi(mixed) - vendi(group.embeddings)) < 1e-9);
    RC_ASSERT(std::abs(mean_pairwise_distance(mixed) - mean_pairwise_distance(group.embeddings)) < 1e-9);
    RC_ASSERT(vendi(mixed) >= 1 - 1e-9 && vendi(mixed) <= static_cast<double>(images) + 1e-9);
}

}  // namespace
}  // namespace gass
