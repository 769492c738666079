#include "sphere/targets.h"

#include "sphere/decomposition.h"
#include "sphere/precision.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cassert>
#include <numeric>
#include <span>
#include <vector>

namespace gass::sphere {
namespace {

/// Projections on the axes, less the group's mean ones. [B, k]
at::Tensor centred_projections(const at::Tensor& points, const at::Tensor& axes) {
    const at::Tensor projections = points.matmul(axes.t());
    return projections - projections.mean(0, /*keepdim=*/true);
}

std::span<const double> numbers(const at::Tensor& contiguous) {
    return {contiguous.const_data_ptr<double>(), static_cast<std::size_t>(contiguous.numel())};
}

/// The images' indices in the order of their projections [B].
at::Tensor ranking(const at::Tensor& projections, const at::Tensor& points) {
    const at::Tensor contiguous = projections.contiguous();
    const std::span<const double> keys = numbers(contiguous);
    const auto width = static_cast<std::size_t>(points.size(1));
    const auto coordinates = [&](std::size_t i) { return numbers(points).subspan(i * width, width); };
    std::vector<std::size_t> order(keys.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        if (keys[a] != keys[b]) return keys[a] < keys[b];
        return std::ranges::lexicographical_compare(coordinates(a), coordinates(b));
    });
    return at::tensor(std::vector<std::int64_t>(order.begin(), order.end()), at::kLong);
}

/// Evenly spaced places around 0; one image has its place there.
at::Tensor rungs(std::int64_t count, double half_width) {
    return count == 1 ? at::zeros({1}, at::kDouble)
                      : at::linspace(-half_width, half_width, count, at::kDouble);
}

}  // namespace

Shifts draw_shifts(std::int64_t images, double dependent_range, double independent_range,
                   at::Generator generator) {
    const auto draw = [&](double range) {
        return (2 * at::rand({images}, generator, at::kDouble) - 1) * range;
    };
    const at::Tensor dependent = draw(dependent_range);
    return {dependent, draw(independent_range)};
}

at::Tensor expanded(const at::Tensor& embeddings, const Basis& basis, const Shifts& shifts) {
    // Eq. 6 takes an embedding apart, shifts two parts and puts it together: only the shifts remain.
    const at::Tensor moves = exact(shifts.dependent).outer(unit_vectors(exact(basis.dependent))) +
                             exact(shifts.independent).outer(unit_vectors(exact(basis.independent)));
    return like(embeddings, exact(embeddings) + moves);
}

at::Tensor on_ladder(const at::Tensor& embeddings, const at::Tensor& axes, double half_width) {
    assert(embeddings.dim() == 2 && axes.dim() == 2 && half_width >= 0);
    const at::Tensor points = exact(embeddings);
    const at::Tensor directions = unit_vectors(exact(axes));
    const at::Tensor places = centred_projections(points, directions);
    at::Tensor own_rungs = at::empty_like(places);
    for (std::int64_t axis = 0; axis < places.size(1); ++axis) {
        own_rungs.select(1, axis).index_copy_(0, ranking(places.select(1, axis), points),
                                              rungs(points.size(0), half_width));
    }
    // The farther of place and rung, even across the mean: of two ascending sequences, this one ascends too.
    const at::Tensor moves = at::where(own_rungs.abs() > places.abs(), own_rungs - places, 0.0);
    return like(embeddings, points + moves.matmul(directions));
}

at::Tensor amplified(const at::Tensor& embeddings, const at::Tensor& axes, double gain) {
    assert(embeddings.dim() == 2 && axes.dim() == 2);
    const at::Tensor points = exact(embeddings);
    const at::Tensor directions = unit_vectors(exact(axes));
    return like(embeddings, points + gain * centred_projections(points, directions).matmul(directions));
}

}  // namespace gass::sphere
