#pragma once

#include "diffusion/method.h"

#include <functional>

namespace gass {

/// What a group starts from.
struct SamplerInput {
    at::Tensor noise;       // [B, C, h, w], unit variance, one row for each seed
    at::Tensor clean = {};  // [1, C, h, w] that the schedule starts from; undefined: from noise alone
    std::vector<std::uint64_t> seeds;
    Condition condition;                     // B rows
    std::optional<Condition> unconditional;  // B rows; needed where guidance is above 1
};

struct SamplerOptions {
    double cfg_scale = 1.0;
    std::int64_t chunk = 1;  ///< images per call of the denoiser; guidance doubles its rows
    /// After each step; the argument is the clean estimate. False stops with ErrorCode::interrupted.
    std::function<bool(const GroupStep&, const at::Tensor& clean)> after_step;
    /// Asked while candidates look ahead. True stops likewise.
    std::function<bool()> should_stop;
};

struct SamplerOutput {
    at::Tensor latents;                // [K, C, h, w]
    std::vector<std::uint64_t> seeds;  // of the images that were kept
    std::vector<std::size_t> kept;     // their places in the input
    double method_seconds = 0.0;
};

/// The one loop for every method:
///
///     candidates ← method.scout(), if it wants to look ahead before it chooses
///     x ← method.start(noise)
///     each step:  c, u     ← method.condition(c), method.unconditional(u)
///                 w        ← method.guidance()
///                 out      ← u + w (p − u), with p and u from the denoiser; w ≤ 1: p alone
///                 x0, eps  ← the estimate that `out` stands for
///                 group    ← method.select(x0)
///                 x0       ← method.steer(x0), and eps by the method's injection
///                 x        ← solver.advance(x, x0, eps)
SamplerOutput sample(const Denoiser& denoiser, const Schedule& schedule, Method& method, SamplerInput input,
                     const SamplerOptions& options);

}  // namespace gass
