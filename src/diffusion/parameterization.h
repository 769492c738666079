#pragma once

#include <ATen/core/Tensor.h>

#include <string_view>

namespace gass {

/// A place on the way between image and noise: x = signal · x0 + noise · eps.
///
///     diffusion (DDIM …)   signal = √ᾱ     noise = √(1 − ᾱ)
///     Euler's coordinates  signal = 1      noise = √((1 − ᾱ) / ᾱ)
///     rectified flow       signal = 1 − σ  noise = σ
struct NoiseLevel {
    double signal = 1.0;
    double noise = 0.0;
};

/// What a network's output means.
enum class Prediction { epsilon, v, sample, flow };
std::string_view to_string(Prediction prediction) noexcept;

/// What a network's output says about x: the clean latents and the noise in it.
struct DenoisedEstimate {
    at::Tensor clean;  // x0
    at::Tensor noise;  // eps
};

/// The estimate that an output stands for.
DenoisedEstimate split(Prediction prediction, const at::Tensor& output, const at::Tensor& x,
                       NoiseLevel level);

/// The output that stands for an estimate; the inverse of `split`.
at::Tensor join(Prediction prediction, const DenoisedEstimate& estimate, NoiseLevel level);

/// x of an estimate at a level.
at::Tensor mix(const DenoisedEstimate& estimate, NoiseLevel level);

/// The noise that, with this clean part, makes x. The level must have noise.
at::Tensor noise_in(const at::Tensor& x, const at::Tensor& clean, NoiseLevel level);

}  // namespace gass
