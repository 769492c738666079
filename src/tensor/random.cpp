#include "tensor/random.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>

namespace gass {
namespace {

/// SplitMix64's output function (Steele, Lea, Flood 2014): neighbouring seeds give unrelated ones.
std::uint64_t mix(std::uint64_t value) {
    value += 0x9E37'79B9'7F4A'7C15U;
    value = (value ^ (value >> 30U)) * 0xBF58'476D'1CE4'E5B9U;
    value = (value ^ (value >> 27U)) * 0x94D0'49BB'1331'11EBU;
    return value ^ (value >> 31U);
}

}  // namespace

at::Generator make_stream(std::uint64_t seed, Purpose purpose) {
    if (purpose == Purpose::initial_noise) return at::detail::createCPUGenerator(seed);
    return at::detail::createCPUGenerator(mix(mix(seed) + static_cast<std::uint64_t>(purpose)));
}

at::Tensor initial_noise(std::uint64_t seed, at::IntArrayRef shape) {
    return at::randn(shape, make_stream(seed, Purpose::initial_noise), at::kFloat);
}

}  // namespace gass
