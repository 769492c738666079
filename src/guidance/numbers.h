#pragma once

#include <gass/record.h>

#include <ATen/core/Tensor.h>

#include <vector>

namespace gass {

/// A tensor's values.
std::vector<double> numbers(const at::Tensor& tensor);
/// The same for a report.
Numbers finite_numbers(const at::Tensor& tensor);
/// Those of each row.
std::vector<Numbers> finite_rows(const at::Tensor& matrix);

/// How far latents [B, …] move, as a share of their own lengths. [B]
at::Tensor relative_lengths(const at::Tensor& moves, const at::Tensor& latents);

}  // namespace gass
