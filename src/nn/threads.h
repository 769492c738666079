#pragma once

#include <cstdint>

namespace gass::nn {

/// LibTorch computes with so many threads from now on; 0 leaves it at one for each core. Throws device if the
/// system does not give the process so many: OpenMP would end it.
void use_threads(std::int64_t count);

}  // namespace gass::nn
