#include "sphere/decomposition.h"

#include "sphere/precision.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cassert>

namespace gass::sphere {
namespace {

double length(const at::Tensor& vector) {
    return vector.norm().item<double>();
}

}  // namespace

at::Tensor unit_vectors(const at::Tensor& vectors) {
    const at::Tensor rows = exact(vectors);
    const at::Tensor lengths = rows.norm(2, -1, /*keepdim=*/true);
    return like(vectors, rows / lengths.masked_fill(lengths == 0, 1.0));
}

Decomposition decompose(const at::Tensor& embeddings, const at::Tensor& axis) {
    assert(embeddings.dim() == 2 && axis.dim() == 1);
    const at::Tensor points = exact(embeddings);
    const at::Tensor direction = unit_vectors(exact(axis));
    const at::Tensor projections = points.mv(direction);
    return {like(embeddings, projections), like(embeddings, points - projections.outer(direction))};
}

std::optional<at::Tensor> named_axis(const at::Tensor& from, const at::Tensor& to, const at::Tensor& prompt) {
    // What bf16 makes of two equal vectors differs by this part of their length.
    constexpr double kRounding = 1.0 / 256;
    const at::Tensor start = exact(from);
    const at::Tensor end = exact(to);
    const at::Tensor across = decompose((end - start).unsqueeze(0), exact(prompt)).residuals.squeeze(0);
    if (length(across) <= kRounding * std::max(length(start), length(end))) return std::nullopt;
    return like(from, unit_vectors(across));
}

}  // namespace gass::sphere
