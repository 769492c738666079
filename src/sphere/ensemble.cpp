#include "sphere/ensemble.h"

#include "sphere/deviations.h"
#include "sphere/precision.h"

#include <ATen/ATen.h>

#include <cassert>

namespace gass::sphere {
namespace {

/// Latents are large and stay where they are; sums over them need fp32 at least.
at::Tensor flat(const at::Tensor& latents) {
    const at::ScalarType dtype = latents.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
    return latents.detach().flatten(1).to(dtype);
}

at::Tensor lengths(const at::Tensor& rows) {
    return rows.norm(2, 1, /*keepdim=*/true);
}

}  // namespace

at::Tensor ensemble_coefficients(const at::Tensor& embeddings, const at::Tensor& moves, double ridge) {
    assert(embeddings.dim() == 2 && embeddings.sizes() == moves.sizes() && ridge >= 0);
    const at::Tensor points = exact(embeddings);
    const Deviations own = deviations(points, points);
    const at::Tensor eigenvalues = own.sizes.square();
    const at::Tensor mean_eigenvalue = eigenvalues.sum() / points.size(0);
    // W Dᵀ (D Dᵀ + λ)⁻¹ with D = U S V: no matrix to invert, and λ = 0 is no special case.
    const at::Tensor shrunk = own.sizes / (eigenvalues + ridge * mean_eigenvalue);
    return exact(moves).matmul(own.directions.t()).mul(shrunk).matmul(own.images.t());
}

at::Tensor ensemble_moves(const at::Tensor& coefficients, const at::Tensor& latents) {
    assert(coefficients.size(0) == latents.size(0));
    const at::Tensor rows = flat(latents);
    const at::Tensor moves = like(rows, coefficients).matmul(rows - rows.mean(0, /*keepdim=*/true));
    return like(latents, moves.view(latents.sizes()));
}

at::Tensor in_trust_region(const at::Tensor& moves, const at::Tensor& latents, double radius) {
    assert(moves.sizes() == latents.sizes() && radius >= 0);
    const at::Tensor rows = flat(moves);
    const at::Tensor wanted = lengths(rows);
    const at::Tensor allowed = radius * lengths(flat(latents));
    return like(moves, at::where(wanted > allowed, rows * (allowed / wanted), rows).view(moves.sizes()));
}

}  // namespace gass::sphere
