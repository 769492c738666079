#pragma once

#include "diffusion/denoiser.h"
#include "diffusion/schedule.h"

#include <gass/record.h>

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace gass {

/// Where a group stands on its way.
struct GroupStep {
    std::size_t index = 0;
    std::size_t count = 0;
    Step step;
    double time = 1.0;  ///< 1 at pure noise, 0 at the image: timestep / train_timesteps
    const std::vector<std::uint64_t>* seeds = nullptr;  ///< of the images that are still in the group
    const at::Tensor* x = nullptr;                      ///< their noisy latents, [B, C, h, w]
};

/// How a steered estimate goes back into the trajectory. `rederive` computes the noise anew, so that estimate
/// and noise still make x; `keep_noise` keeps the predicted noise and moves the clean part alone.
enum class Injection { rederive, keep_noise };

/// A way to sample a group: hooks on one loop (sampler.h). Each does nothing unless overridden, which makes
/// this class itself plain classifier-free guidance. One object samples one group.
class Method {
  public:
    Method() = default;
    virtual ~Method() = default;
    Method(const Method&) = delete;
    Method& operator=(const Method&) = delete;

    /// The way to take in place of the usual one.
    virtual Schedule schedule(Schedule usual) const { return usual; }
    /// The step at which images are chosen, if candidates take the steps up to it; nothing: they look ahead,
    /// or there are none.
    virtual std::optional<std::size_t> choice_step(const Schedule& /*schedule*/) const {
        return std::nullopt;
    }
    /// The group's unit noise, [B, C, h, w], before it is scaled to the schedule.
    virtual at::Tensor start(const at::Tensor& noise, const std::vector<std::uint64_t>& /*seeds*/) {
        return noise;
    }
    /// Steps of the schedule, from the first on, at which so many candidates take a coarse look ahead without
    /// guidance; `select` is called at the last one, and the group then starts from the noise of those it
    /// keeps.
    virtual std::vector<std::size_t> scout(const Schedule& /*schedule*/, std::int64_t /*candidates*/) const {
        return {};
    }
    virtual Condition condition(const Condition& condition, const GroupStep& /*at*/) { return condition; }
    /// The same of the text that guidance leads away from.
    virtual Condition unconditional(const Condition& unconditional, const GroupStep& /*at*/) {
        return unconditional;
    }
    /// The guidance weight; at 1 the unconditional half is not computed.
    virtual double guidance(double cfg_scale, const GroupStep& /*at*/) { return cfg_scale; }
    /// Which images go on, as [K] indices; nothing: all.
    virtual std::optional<at::Tensor> select(const at::Tensor& /*clean*/, const GroupStep& /*at*/) {
        return std::nullopt;
    }
    /// The clean estimates to go on with, [B, C, h, w]. Returning the argument itself says that nothing was
    /// steered.
    virtual at::Tensor steer(const at::Tensor& clean, const GroupStep& /*at*/) { return clean; }
    /// How it steers; nothing: it does not.
    virtual std::optional<Injection> injection() const { return std::nullopt; }
    /// Where the images lie on each axis that the user named, −1 … 1: [B] each; nothing: nowhere.
    virtual std::vector<at::Tensor> places() const { return {}; }
    /// What it did, step by step, for people who study it; nothing: it does not tell.
    virtual std::optional<std::vector<MethodStep>> report() const { return std::nullopt; }
};

}  // namespace gass
