#pragma once

#include <cstdint>

namespace gass::nn {

/// LibTorch computes with so many threads from now on; 0 leaves it at one for each core. Throws device if the
/// system does not give the process so many: OpenMP would end it.
void use_threads(std::int64_t count);

/// Ends the threads that helped the calling one to compute; they come again when it computes next, a few
/// microseconds each. OpenMP gives every thread that computes helpers of its own, and where these are more
/// than the cores they all wait badly from then on, a quarter of the time lost, even while they have nothing
/// to do.
void end_helpers();

/// Lets the process keep memory that tensors give back, for the next ones. Otherwise glibc returns it to the
/// system after each large tensor, and the page faults of getting it again cost a sixth of a small network's
/// forward pass. A program calls it once, before it computes.
void keep_freed_memory();

}  // namespace gass::nn
