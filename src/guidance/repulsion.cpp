#include "guidance/repulsion.h"

#include "guidance/tensors.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>

namespace gass {

at::Tensor kernel_repulsion(const at::Tensor& points) {
    const std::int64_t count = points.size(0);
    if (count < 3) return at::zeros_like(points);
    const at::Tensor exact = points.to(at::kDouble);
    const at::Tensor distances =
        at::cdist(exact, exact, 2, /*compute_mode=*/2);  // 2: without matrix products
    // The diagonal goes last in each row, so that the median is that of the others.
    const at::Tensor others =
        std::get<0>(distances.clone().fill_diagonal_(INFINITY).sort(1)).narrow(1, 0, count - 1);
    const at::Tensor median = others.select(1, (count - 2) / 2);
    const at::Tensor bandwidth = (median.square() / std::log(static_cast<double>(count - 1))).unsqueeze(1);
    const at::Tensor kernel = (-distances.square() / bandwidth).exp().fill_diagonal_(0);
    // Σ_j w_ij (p_i − p_j) without a [N, N, D] tensor
    const at::Tensor weights = 2 * kernel / bandwidth;
    const at::Tensor pushed = weights.sum(1, /*keepdim=*/true) * exact - weights.matmul(exact);
    return at::where(bandwidth > 0, pushed, 0.0).to(points.options());
}

at::Tensor embeddings_of(const MethodSetup& setup, const at::Tensor& latents) {
    return in_chunks(latents, setup.chunk,
                     [&](const at::Tensor& part) { return setup.vision->embed(setup.vision->decode(part)); });
}

at::Tensor pulled_back(const MethodSetup& setup, const at::Tensor& latents, const at::Tensor& directions) {
    const at::AutoGradMode gradients_wanted(true);  // sampling runs without
    // What a gradient keeps of a network is several times what an image passes through it with.
    constexpr std::int64_t kKept = 8;
    const std::int64_t chunk = std::max<std::int64_t>(1, setup.chunk / kKept);
    std::vector<at::Tensor> gradients;
    const std::vector<at::Tensor> direction_parts = directions.split(chunk);
    for (const at::Tensor& part : latents.split(chunk)) {
        const at::Tensor z = part.detach().clone().requires_grad_(true);
        const at::Tensor seen = setup.vision->embed(setup.vision->decode(z));
        gradients.push_back(gradient_of((seen * direction_parts[gradients.size()]).sum(), z));
    }
    return at::cat(gradients);
}

}  // namespace gass
