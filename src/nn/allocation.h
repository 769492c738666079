#pragma once

namespace gass::nn {

/// Lets the process keep memory that tensors give back, for the next ones. Otherwise glibc returns it to the
/// system after each large tensor, and the page faults of getting it again cost a sixth of a small network's
/// forward pass. A program calls it once, before it computes.
void keep_freed_memory();

}  // namespace gass::nn
