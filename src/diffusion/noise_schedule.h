#pragma once

#include "core/json.h"
#include "nn/config.h"

#include <cstdint>
#include <vector>

namespace gass {

/// What becomes of the last timestep, which training with a common schedule leaves a little signal.
enum class TerminalSignal {
    as_trained,
    none,    ///< exactly none, DDIM
    hardly,  ///< so little that 1 / signal is still a number, Euler and DPM-Solver++
};

/// ᾱ, the share of the image in x², for every training timestep: strictly between 0 and 1, but for a last one
/// without signal. In fp32 and with the operations of the reference, so that levels agree to the last bit.
/// `config` is the object that `reader` reads.
std::vector<float> read_alpha_bars(nn::ConfigReader& reader, const Json& config, std::int64_t train_timesteps,
                                   TerminalSignal terminal);

}  // namespace gass
