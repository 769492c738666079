#pragma once

#include <c10/core/Device.h>

#include <cstdint>

namespace gass {

/// Memory that a process can still take on a device: what the system and its container leave on the CPU, what
/// the driver and our own cache have free on a GPU.
double free_memory(c10::Device device);

/// What our tensors take on a GPU now, and took at most since `reset_peak_memory`; 0 on a CPU.
double used_memory(c10::Device device);
std::uint64_t peak_memory(c10::Device device);
void reset_peak_memory(c10::Device device);

/// How many images, at most `images`, fit into one network call when each takes `bytes_each`. Leaves a fifth
/// free, since the need is an estimate. Throws out_of_memory if not even one comes near; `advice` says what
/// helps.
std::int64_t images_that_fit(std::int64_t images, double bytes_each, double free_bytes, const char* advice);

}  // namespace gass
