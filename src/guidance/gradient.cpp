#include "guidance/gradient.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

namespace gass {

at::Tensor gradient_of(const at::Tensor& value, const at::Tensor& x) {
    if (!value.requires_grad()) return at::zeros_like(x);
    const at::Tensor gradient = torch::autograd::grad({value}, {x}, {}, std::nullopt, /*create_graph=*/false,
                                                      /*allow_unused=*/true)
                                    .front();
    return gradient.defined() ? gradient : at::zeros_like(x);
}

}  // namespace gass
