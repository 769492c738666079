#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

namespace gass::sphere {

/// The logarithm of the appendix' V(P), the volume of the simplex that B points [B, d] span:
/// V = √det(AᵀA) / (B − 1)!, A the edges from one point to the others. 0 for one point; −∞ for points that
/// lie in fewer than B − 1 dimensions.
double log_volume(const at::Tensor& points);

/// Indices of `count` points [M, d] that span a large volume, in the order of choice: first the point
/// farthest from the candidates' mean, then ever the one farthest from what the chosen span, which is the one
/// that makes the volume largest. Points beyond the dimension are chosen by a small ridge on the Gram matrix,
/// which favours those far out; of equal points the first is taken. Only `admissible` points [M] (all unless
/// given) are looked at; if they are fewer than `count`, all of them are returned. With `given`
/// points [K, d] the volume is what they span together with the chosen. int64 on the CPU
at::Tensor largest_volume_subset(const at::Tensor& points, std::int64_t count,
                                 const std::optional<at::Tensor>& admissible = std::nullopt,
                                 const std::optional<at::Tensor>& given = std::nullopt);

}  // namespace gass::sphere
