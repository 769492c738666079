#include "sphere/spread.h"

#include "sphere/decomposition.h"
#include "sphere/precision.h"

#include <ATen/ATen.h>

#include <cassert>

namespace gass::sphere {
namespace {

double range_along(const at::Tensor& axis, const at::Tensor& points) {
    const at::Tensor projections = decompose(points, exact(axis)).projections;
    return (projections.max() - projections.min()).item<double>();
}

}  // namespace

Spread spread(const at::Tensor& embeddings, const Basis& basis) {
    assert(embeddings.size(0) > 0);
    const at::Tensor points = exact(embeddings);
    return {range_along(basis.dependent, points), range_along(basis.independent, points)};
}

}  // namespace gass::sphere
