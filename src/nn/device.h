#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>

#include <string>
#include <string_view>

namespace gass {

/// "auto" is the first CUDA device if there is one, else the CPU. Throws usage for another name, device for
/// one that is not there.
at::Device find_device(std::string_view name);

/// "auto" is fp32 on the CPU, which parity is proven on, and bf16 on a GPU.
at::ScalarType find_dtype(std::string_view name, at::Device device);
std::string dtype_name(at::ScalarType dtype);

/// Makes results on a GPU repeatable and, in fp32, exact. Call before the GPU is used.
void prepare_device(at::Device device);

/// Waits until the device has done what it was told, so that times mean something.
void synchronize(at::Device device);
/// An exception of LibTorch's as an error of ours.
[[noreturn]] void fail_in_libtorch(at::Device device, const c10::Error& error);
/// Returns memory that nobody uses to the device.
void give_back_memory(at::Device device);

}  // namespace gass
