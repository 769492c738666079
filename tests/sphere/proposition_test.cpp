// The paper's proposition, E[V(P̃)] > V(P), by simulation.
//
// Before re-normalisation it holds for any group and any two directions: the edges' outer product is affine
// in each point, so that shifts of mean zero leave its mean in place, and a norm is convex. Nothing follows
// for the targets on the sphere: there it holds where images are close to each other, as those of one prompt
// are, and fails where they are spread as far as the sphere allows, or where the shifts are not small.

#include "sphere/axes.h"
#include "sphere/decomposition.h"
#include "sphere/groups.h"
#include "sphere/targets.h"
#include "sphere/volume.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace gass::sphere {
namespace {

using test::Group;
using test::isotropic_group;
using test::stream;

enum class Place { anywhere, on_sphere };

struct Estimate {
    double mean;
    double error;  // the mean's standard error
};

/// V(P̃) / V(P) − 1
Estimate growth(const Group& group, const Basis& basis, double range, Place place, int draws) {
    const at::Generator generator = stream(77);
    const double before = log_volume(group.embeddings);
    at::Tensor ratios = at::empty({draws}, at::kDouble);
    for (int i = 0; i < draws; ++i) {
        const Shifts shifts = draw_shifts(group.embeddings.size(0), range, range, generator);
        const at::Tensor targets = expanded(group.embeddings, basis, shifts);
        ratios[i] =
            std::exp(log_volume(place == Place::on_sphere ? unit_vectors(targets) : targets) - before);
    }
    return {ratios.mean().item<double>() - 1, ratios.std().item<double>() / std::sqrt(draws)};
}

Group paper_group(std::uint64_t seed) {
    return isotropic_group(10, 512, 0.85, seed);
}

Basis paper_basis(const Group& group) {
    return dominant_basis(group.embeddings, group.prompt, 10, stream(3));
}

TEST(Proposition, HoldsInThePapersRegime) {
    for (const std::uint64_t seed : {1U, 2U}) {
        const Group group = paper_group(seed);
        const Estimate plain = growth(group, paper_basis(group), 0.02, Place::anywhere, 1000);
        const Estimate normalised = growth(group, paper_basis(group), 0.02, Place::on_sphere, 1000);
        EXPECT_GT(plain.mean, 4 * plain.error);
        EXPECT_GT(normalised.mean, 4 * normalised.error);
        EXPECT_NEAR(plain.mean, 0.009, 0.004);
        EXPECT_NEAR(normalised.mean, 0.008, 0.004);
    }
}

TEST(Proposition, HoldsBeforeRenormalisationForAnyGroupAndDirections) {
    for (const double cosine : {0.0, 0.5, 0.95}) {
        for (const std::int64_t images : {2, 5, 10}) {
            const Group group = isotropic_group(images, 12, cosine, 5);
            for (const Basis& basis : {paper_basis(group), isotropic_basis(group.prompt, stream(4))}) {
                for (const double range : {0.05, 0.5, 2.0}) {
                    const Estimate plain = growth(group, basis, range, Place::anywhere, 300);
                    const double least = range > 0.1 ? 3 : -3;  // small shifts: less growth than error
                    EXPECT_GT(plain.mean, least * plain.error) << cosine << " " << images << " " << range;
                }
            }
        }
    }
}

/// No simplex on the sphere is larger than the regular one: whatever moves its corners on the sphere shrinks
/// it.
TEST(Proposition, FailsOnTheSphereForARegularSimplex) {
    for (const std::int64_t images : {2, 4, 10}) {
        const at::Tensor corners = at::eye(images, at::kDouble) - 1.0 / static_cast<double>(images);
        const Group group{unit_vectors(corners), at::eye(images, at::kDouble)[0]};
        const Estimate normalised =
            growth(group, isotropic_basis(group.prompt, stream(4)), 0.1, Place::on_sphere, 200);
        EXPECT_LT(normalised.mean, -4 * normalised.error);
    }
}

TEST(Proposition, FailsOnTheSphereForLargeShifts) {
    const Group group = paper_group(1);
    const Estimate normalised = growth(group, paper_basis(group), 10.0, Place::on_sphere, 200);
    EXPECT_LT(normalised.mean, -4 * normalised.error);
}

}  // namespace
}  // namespace gass::sphere
