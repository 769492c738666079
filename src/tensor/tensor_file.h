#pragma once

#include "io/safetensors.h"
#include "io/weights.h"

#include <ATen/core/Tensor.h>

#include <map>
#include <string>

namespace gass {

/// The tensor on the CPU. It is a view of the mapped file, which it keeps open, wherever the file's alignment
/// allows that: read it, do not write to it.
at::Tensor load_tensor(const Weights::Entry& entry);

/// The element type in LibTorch; throws model_invalid for a type it cannot compute with.
at::ScalarType scalar_type(Dtype dtype);

/// Writes tensors from any device as a safetensors file, whole or not at all.
void write_tensors(const std::filesystem::path& path, const std::map<std::string, at::Tensor>& tensors,
                   const SafetensorsMetadata& metadata = {});

}  // namespace gass
