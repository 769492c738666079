#pragma once

#include <ATen/core/Tensor.h>

namespace gass {

/// sums += rowsᵀ · rows, on and above the diagonal: half the work. sums [d, d] and rows [n, d], both fp64 on
/// the CPU. What lies below the diagonal means nothing: at::linalg_eigh(sums, "U") does not read it.
void add_upper_products(at::Tensor& sums, const at::Tensor& rows);

}  // namespace gass
