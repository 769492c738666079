#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace gass {

/// What random numbers are drawn for. Each purpose has a stream of its own, so that switching a method on
/// shifts nothing else. Its value makes the stream: a new purpose takes a new one.
enum class Purpose : std::uint8_t { initial_noise = 0, method = 2 };

/// A generator on the CPU for one image's seed and one purpose. `initial_noise` is PyTorch's own
/// `torch.Generator().manual_seed(seed)`; the others are derived from it. PyTorch uses the low 32 bits of a
/// seed only.
at::Generator make_stream(std::uint64_t seed, Purpose purpose);

/// The noise an image starts from: bit-equal to `torch.randn(shape,
/// generator=torch.Generator().manual_seed(seed))`.
at::Tensor initial_noise(std::uint64_t seed, at::IntArrayRef shape);

}  // namespace gass
