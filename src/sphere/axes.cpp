#include "sphere/axes.h"

#include "sphere/decomposition.h"
#include "sphere/deviations.h"
#include "sphere/precision.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cassert>
#include <utility>

namespace gass::sphere {
namespace {

/// `count` random directions that are orthogonal to the rows of `fixed` and to each other, or as many as
/// there are.
at::Tensor random_directions(const at::Tensor& fixed, std::int64_t count, const at::Generator& generator) {
    const std::int64_t fixed_count = fixed.size(0);
    const std::int64_t width = fixed.size(1);
    const std::int64_t drawn_count = std::clamp<std::int64_t>(width - fixed_count, 0, count);
    at::Tensor directions = fixed;
    while (directions.size(0) < fixed_count + drawn_count) {
        const at::Tensor draw = at::randn({width}, generator, at::kDouble);
        at::Tensor rest = draw;
        // Gram-Schmidt; what rounding left over after the first pass, the second removes.
        for (int pass = 0; pass < 2; ++pass) rest = rest - directions.t().mv(directions.mv(rest));
        // A draw among the directions there are would be nothing but rounding: take another one.
        if ((rest.norm() < 1e-6 * draw.norm()).item<bool>()) continue;
        directions = at::cat({directions, unit_vectors(rest).unsqueeze(0)});
    }
    return directions.narrow(0, fixed_count, drawn_count);
}

/// Singular vectors have no sign of their own: the largest component becomes positive.
at::Tensor with_sign(const at::Tensor& directions) {
    const at::Tensor largest = directions.gather(1, directions.abs().argmax(1, /*keepdim=*/true));
    return directions * largest.sign();
}

}  // namespace

at::Tensor residual_candidates(const at::Tensor& prompt, std::int64_t count, at::Generator generator) {
    const at::Tensor fixed = unit_vectors(exact(prompt)).unsqueeze(0);
    return like(prompt, random_directions(fixed, count, generator));
}

at::Tensor dominant_candidate(const at::Tensor& embeddings, const at::Tensor& candidates) {
    assert(embeddings.size(0) > 0 && candidates.size(0) > 0);
    const at::Tensor projections = exact(embeddings).matmul(exact(candidates).t());
    return candidates.select(0, projections.abs().mean(0).argmax().item<std::int64_t>());
}

Basis dominant_basis(const at::Tensor& embeddings, const at::Tensor& prompt, std::int64_t candidates,
                     at::Generator generator) {
    const at::Tensor found =
        dominant_candidate(embeddings, residual_candidates(exact(prompt), candidates, std::move(generator)));
    return {unit_vectors(prompt), like(prompt, found)};
}

Basis random_direction_basis(const at::Tensor& prompt, at::Generator generator) {
    assert(prompt.size(0) > 1);
    return {unit_vectors(prompt), residual_candidates(prompt, 1, std::move(generator)).select(0, 0)};
}

Basis isotropic_basis(const at::Tensor& prompt, at::Generator generator) {
    assert(prompt.size(0) > 1);
    const at::Tensor none = at::empty({0, prompt.size(0)}, at::kDouble);
    const at::Tensor directions = like(prompt, random_directions(none, 2, generator));
    return {directions.select(0, 0), directions.select(0, 1)};
}

PrincipalAxes principal_axes(const at::Tensor& embeddings, const at::Tensor& prompt, std::int64_t count) {
    const at::Tensor points = exact(embeddings);
    const Deviations across = deviations(decompose(points, exact(prompt)).residuals, points);
    const std::int64_t found = std::min(count, across.sizes.size(0));
    return {like(embeddings, with_sign(across.directions.narrow(0, 0, found))),
            like(embeddings, across.sizes.narrow(0, 0, found).square() / points.size(0))};
}

at::Tensor on_first_axis(const at::Tensor& embeddings, const at::Tensor& prompt) {
    const at::Tensor directions = principal_axes(embeddings, prompt, 1).directions;
    if (directions.size(0) == 0) return embeddings.new_zeros({embeddings.size(0)});
    return embeddings.mv(directions[0]);
}

}  // namespace gass::sphere
