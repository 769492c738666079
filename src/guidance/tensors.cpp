#include "guidance/tensors.h"

#include "core/optional_number.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

namespace gass {

std::vector<double> numbers(const at::Tensor& tensor) {
    const at::Tensor flat = tensor.to(at::kCPU, at::kDouble).contiguous().flatten();
    return {flat.const_data_ptr<double>(), flat.const_data_ptr<double>() + flat.numel()};
}

Numbers finite_numbers(const at::Tensor& tensor) {
    Numbers result;
    for (const double number : numbers(tensor)) result.push_back(if_finite(number));
    return result;
}

std::vector<Numbers> finite_rows(const at::Tensor& matrix) {
    std::vector<Numbers> result;
    for (std::int64_t i = 0; i < matrix.size(0); ++i) result.push_back(finite_numbers(matrix[i]));
    return result;
}

at::Tensor relative_lengths(const at::Tensor& moves, const at::Tensor& latents) {
    return moves.flatten(1).norm(2, 1) / latents.flatten(1).norm(2, 1).clamp_min(1e-12);
}

at::Tensor gradient_of(const at::Tensor& value, const at::Tensor& x) {
    if (!value.requires_grad()) return at::zeros_like(x);
    const at::Tensor gradient = torch::autograd::grad({value}, {x}, {}, std::nullopt, /*create_graph=*/false,
                                                      /*allow_unused=*/true)
                                    .front();
    return gradient.defined() ? gradient : at::zeros_like(x);
}

}  // namespace gass
