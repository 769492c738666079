#pragma once

#include <gass/record.h>

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

namespace gass {

/// How far finished images lie apart as a guide sees them. SPP and its parts are those of Eq. 4, on Algorithm
/// 1's basis, drawn from `seed`. embeddings [B, d] and prompt [d] are unit vectors; none if an embedding is
/// not finite.
std::optional<Spread> spread_report(const at::Tensor& embeddings, const at::Tensor& prompt,
                                    std::uint64_t seed);

}  // namespace gass
