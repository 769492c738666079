#include "guidance/initial_noise.h"

#include "guidance/group_noise.h"

#include <ATen/ATen.h>

namespace gass {
namespace {

at::Tensor antithetic(const at::Tensor& noise) {
    at::Tensor pairs = noise.clone();
    for (std::int64_t i = 0; i + 1 < noise.size(0); i += 2) pairs[i + 1].copy_(-noise[i]);
    return pairs;
}

/// The polar factor of the unit rows is the nearest matrix with orthonormal ones.
at::Tensor orthogonalised(const at::Tensor& noise) {
    const at::Tensor rows = noise.flatten(1).to(at::kCPU, at::kDouble);
    if (rows.size(0) < 2 || rows.size(0) > rows.size(1)) return noise;  // no room for that many
    const at::Tensor lengths = rows.norm(2, 1, /*keepdim=*/true);
    const auto [left, sizes, right] = at::linalg_svd(rows / lengths, /*full_matrices=*/false);
    return (lengths * left.matmul(right)).reshape(noise.sizes()).to(noise.options());
}

}  // namespace

void InitialNoiseParams::visit(ParameterVisitor& v) {
    v.choice("kind", kind, "antithetic|orthogonal|coarse",
             "pairs of opposite noises, noises at right angles, or a larger coarse part");
    v.number("scale", scale, {0, 5}, "coarse: of the low-frequency part; 1 is off");
    v.integer("modes", modes, {1, 64}, "coarse: cosine modes down and across that count as such");
}

at::Tensor InitialNoise::start(const at::Tensor& noise, const std::vector<std::uint64_t>& /*seeds*/) {
    if (params_.kind == "antithetic") return antithetic(noise);
    if (params_.kind == "orthogonal") return orthogonalised(noise);
    return with_scaled_coarse_part(noise, params_.modes, params_.scale);
}

}  // namespace gass
