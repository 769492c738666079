#pragma once

#include <ATen/core/Tensor.h>

namespace gass::sphere {

// Embeddings are few and short, and volumes multiply hundreds of small numbers: everything about them is
// computed on the CPU in fp64 and rounded once, when it is returned. Vectors come back in the dtype and on
// the device of what was given, small matrices and single numbers stay in fp64 on the CPU.

/// The numbers in fp64 on the CPU, without their gradient; may share memory with `given`. Throws failure if
/// one is not finite: in a group, one such image would spoil all of them.
at::Tensor exact(const at::Tensor& given);

/// The result in the dtype and on the device of `given`.
at::Tensor like(const at::Tensor& given, const at::Tensor& result);

}  // namespace gass::sphere
