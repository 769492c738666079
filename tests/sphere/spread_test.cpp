#include "sphere/spread.h"

#include "sphere/groups.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>

namespace gass::sphere {
namespace {

using test::any_group;
using test::any_order;
using test::Group;
using test::isotropic_group;
using test::stream;

/// Eq. 4, word by word.
double range(const at::Tensor& embeddings, const at::Tensor& axis) {
    double least = std::numeric_limits<double>::infinity();
    double most = -least;
    for (const at::Tensor& embedding : embeddings.unbind(0)) {
        double projection = 0;
        for (std::int64_t k = 0; k < axis.size(0); ++k)
            projection += embedding[k].item<double>() * axis[k].item<double>();
        least = std::min(least, projection);
        most = std::max(most, projection);
    }
    return most - least;
}

RC_GTEST_PROP(Spread, IsItsDefinition, (std::uint32_t seed)) {
    const Group group = any_group();
    const Basis basis = dominant_basis(group.embeddings, group.prompt, 10, stream(seed));
    const Spread found = spread(group.embeddings, basis);
    RC_ASSERT(std::abs(found.dependent - range(group.embeddings, group.prompt)) < 1e-12);
    RC_ASSERT(std::abs(found.independent - range(group.embeddings, basis.independent)) < 1e-12);
    RC_ASSERT(found.total() == found.dependent + found.independent);
}

RC_GTEST_PROP(Spread, DoesNotDependOnTheImagesOrder, (std::uint32_t seed)) {
    const Group group = any_group();
    const Basis basis = isotropic_basis(group.prompt, stream(seed));
    const at::Tensor order = any_order(group.embeddings.size(0));
    const double one = spread(group.embeddings, basis).total();
    RC_ASSERT(std::abs(spread(group.embeddings.index_select(0, order), basis).total() - one) < 1e-12);
}

TEST(Spread, IsNothingForOneImageOrEqualOnes) {
    const Group group = isotropic_group(1, 64, 0.8, 1);
    const Basis basis = dominant_basis(group.embeddings, group.prompt, 10, stream(1));
    EXPECT_EQ(spread(group.embeddings, basis).total(), 0);
    EXPECT_LT(spread(group.embeddings.expand({5, 64}), basis).total(), 1e-15);
    EXPECT_LT(spread(group.embeddings.expand({5, 64}).to(at::kBFloat16), basis).total(), 1e-15);
}

/// What the paper measures on SD3-M (.060, .065) and on photographs (.110, .110) is what directions without
/// any meaning give: D_ind is the range along an all but random one.
TEST(Spread, OfScatterWithoutStructureIsThatOfTheTable) {
    const auto simulated = [](double cosine) {
        constexpr int kGroups = 200;
        Spread mean{0, 0};
        for (int i = 0; i < kGroups; ++i) {
            const Group group = isotropic_group(50, 512, cosine, static_cast<std::uint64_t>(i));
            const Basis basis = dominant_basis(group.embeddings, group.prompt, 10,
                                               stream(static_cast<std::uint64_t>(1000 + i)));
            const Spread one = spread(group.embeddings, basis);
            mean.dependent += one.dependent / kGroups;
            mean.independent += one.independent / kGroups;
        }
        return mean;
    };
    const Spread generated = simulated(0.89);
    EXPECT_NEAR(generated.dependent, 0.063, 0.004);
    EXPECT_NEAR(generated.independent, 0.067, 0.004);
    const Spread photographs = simulated(0.70);
    EXPECT_NEAR(photographs.dependent, 0.104, 0.006);
    EXPECT_NEAR(photographs.independent, 0.110, 0.006);
}

}  // namespace
}  // namespace gass::sphere
