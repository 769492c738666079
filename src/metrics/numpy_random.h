#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <random>

namespace gass {

/// The draws of numpy.random.RandomState, for subsets that must be those of a Python package.
class NumpyRandom {
  public:
    explicit NumpyRandom(std::uint32_t seed) : engine_(seed) {}

    /// choice(count, chosen, replace=False): [chosen], int64
    at::Tensor choice(std::int64_t count, std::int64_t chosen);

  private:
    /// Uniform in 0 … most.
    std::uint32_t up_to(std::uint32_t most);

    std::mt19937 engine_;
};

}  // namespace gass
