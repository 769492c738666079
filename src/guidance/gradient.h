#pragma once

#include <ATen/core/Tensor.h>

namespace gass {

/// ∂value/∂x of one number; zero where it does not depend on x.
at::Tensor gradient_of(const at::Tensor& value, const at::Tensor& x);

}  // namespace gass
