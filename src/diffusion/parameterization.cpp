#include "diffusion/parameterization.h"

#include <ATen/ATen.h>

#include <cassert>
#include <cmath>

namespace gass {
namespace {

at::Tensor scaled(const at::Tensor& x, double factor) {
    return factor == 1.0 ? x : at::mul(x, factor);
}

/// v is defined where signal² + noise² = 1: this is the level there, and what x must be divided by.
struct UnitLevel {
    double signal;
    double noise;
    double length;
};

UnitLevel on_unit_circle(NoiseLevel level) {
    const double length = std::hypot(level.signal, level.noise);
    return {level.signal / length, level.noise / length, length};
}

}  // namespace

std::string_view to_string(Prediction prediction) noexcept {
    switch (prediction) {
        case Prediction::epsilon:
            return "epsilon";
        case Prediction::v:
            return "v";
        case Prediction::sample:
            return "sample";
        case Prediction::flow:
            return "flow";
    }
    return "unknown";
}

DenoisedEstimate split(Prediction prediction, const at::Tensor& output, const at::Tensor& x,
                       NoiseLevel level) {
    switch (prediction) {
        case Prediction::epsilon: {
            assert(level.signal > 0);
            const at::Tensor signal_part = at::sub(x, output, level.noise);
            return {level.signal == 1.0 ? signal_part : at::div(signal_part, level.signal), output};
        }
        case Prediction::v: {
            const UnitLevel unit = on_unit_circle(level);
            return {at::sub(at::mul(x, unit.signal / unit.length), output, unit.noise),
                    at::add(at::mul(x, unit.noise / unit.length), output, unit.signal)};
        }
        case Prediction::sample:
            return {output, noise_in(x, output, level)};
        case Prediction::flow:
            return {at::sub(x, output, level.noise), at::add(x, output, level.signal)};
    }
    return {};
}

at::Tensor join(Prediction prediction, const DenoisedEstimate& estimate, NoiseLevel level) {
    switch (prediction) {
        case Prediction::epsilon:
            return estimate.noise;
        case Prediction::v: {
            const UnitLevel unit = on_unit_circle(level);
            return at::sub(at::mul(estimate.noise, unit.signal), estimate.clean, unit.noise);
        }
        case Prediction::sample:
            return estimate.clean;
        case Prediction::flow:
            return at::sub(estimate.noise, estimate.clean);
    }
    return {};
}

at::Tensor mix(const DenoisedEstimate& estimate, NoiseLevel level) {
    if (level.noise == 0.0) return scaled(estimate.clean, level.signal);
    // 0 · x0 is not 0 where x0 has overflowed.
    if (level.signal == 0.0) return scaled(estimate.noise, level.noise);
    return at::add(scaled(estimate.clean, level.signal), estimate.noise, level.noise);
}

at::Tensor noise_in(const at::Tensor& x, const at::Tensor& clean, NoiseLevel level) {
    assert(level.noise > 0);
    return at::div(at::sub(x, clean, level.signal), level.noise);
}

}  // namespace gass
