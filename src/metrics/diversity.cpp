#include "metrics/diversity.h"

#include "sphere/precision.h"

#include <ATen/ATen.h>

namespace gass {

double vendi(const at::Tensor& embeddings) {
    const at::Tensor points = sphere::exact(embeddings);
    const at::Tensor similarities = points.matmul(points.t()) / static_cast<double>(points.size(0));
    const at::Tensor values = at::linalg_eigvalsh(similarities).clamp_min(0);
    return at::special_entr(values / values.sum().clamp_min(1e-300)).sum().exp().item<double>();
}

double mean_pairwise_distance(const at::Tensor& embeddings) {
    const at::Tensor points = sphere::exact(embeddings);
    const auto images = static_cast<double>(points.size(0));
    if (images < 2) return 0.0;
    const double all = points.matmul(points.t()).sum().item<double>() - points.square().sum().item<double>();
    return 1 - all / (images * (images - 1));
}

}  // namespace gass
