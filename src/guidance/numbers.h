#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace gass {

/// A tensor's values for a report.
std::vector<double> numbers(const at::Tensor& tensor);
/// Those of each row.
std::vector<std::vector<double>> rows(const at::Tensor& matrix);

/// How far latents [B, …] move, as a share of their own lengths. [B]
at::Tensor relative_lengths(const at::Tensor& moves, const at::Tensor& latents);

}  // namespace gass
