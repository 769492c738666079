#include "engine/start_noise.h"

#include "tensor/random.h"

#include <ATen/Functions.h>

#include <cmath>

namespace gass {
namespace {

/// From a to b along the great circle: a straight line would leave the shell that Gaussian noise lies on, and
/// images would blur.
at::Tensor slerp(const at::Tensor& a, const at::Tensor& b, double strength) {
    if (strength == 0.0) return a;
    if (strength == 1.0) return b;
    const double cosine = (at::sum(a * b) / (a.norm() * b.norm())).item<double>();
    const double angle = std::acos(std::clamp(cosine, -1.0, 1.0));
    if (std::sin(angle) < 1e-6) return at::lerp(a, b, strength);
    return a * (std::sin((1 - strength) * angle) / std::sin(angle)) +
           b * (std::sin(strength * angle) / std::sin(angle));
}

}  // namespace

at::Tensor start_noise(const std::vector<std::uint64_t>& seeds, const std::optional<Variation>& variation,
                       at::IntArrayRef shape) {
    std::vector<at::Tensor> noise;
    for (std::size_t i = 0; i < seeds.size(); ++i) {
        at::Tensor own = initial_noise(seeds[i], shape);
        if (variation) own = slerp(own, initial_noise(variation->seed + i, shape), variation->strength);
        noise.push_back(std::move(own));
    }
    return at::cat(noise);
}

}  // namespace gass
