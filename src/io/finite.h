#pragma once

#include "io/safetensors.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace gass {

/// How many of the elements are NaN or infinite; 0 for types that cannot be.
std::uint64_t count_non_finite(Dtype dtype, std::span<const std::byte> bytes);

}  // namespace gass
