#include "diffusion/sampler.h"

#include "core/fail.h"
#include "diffusion/solver.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <chrono>

namespace gass {
namespace {

/// Adds up the time between construction and destruction.
class Stopwatch {
  public:
    explicit Stopwatch(double& seconds) : seconds_(seconds) {}
    ~Stopwatch() { seconds_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

  private:
    using Clock = std::chrono::steady_clock;
    double& seconds_;
    Clock::time_point start_ = Clock::now();
};

/// Classifier-free guidance over one chunk: both halves in one call.
at::Tensor guided(const Denoiser& denoiser, const at::Tensor& x, double timestep, const Condition& condition,
                  const Condition& unconditional, double weight) {
    const at::Tensor both =
        denoiser.predict(at::cat({x, x}), timestep, Condition::concatenated({unconditional, condition}));
    const std::int64_t rows = x.size(0);
    const at::Tensor without = both.narrow(0, 0, rows);
    const at::Tensor with = both.narrow(0, rows, rows);
    return without + weight * (with - without);
}

/// The denoiser's output for the whole group, chunk by chunk.
at::Tensor denoise(const Denoiser& denoiser, const at::Tensor& x, const Step& step,
                   const Condition& condition, const std::optional<Condition>& unconditional, double weight,
                   std::int64_t chunk) {
    const at::Tensor seen = step.input_scale == 1.0 ? x : x * step.input_scale;
    std::vector<at::Tensor> outputs;
    for (std::int64_t first = 0; first < x.size(0); first += chunk) {
        const std::int64_t count = std::min(chunk, x.size(0) - first);
        const at::Tensor part = seen.narrow(0, first, count);
        const Condition with = condition.rows(first, count);
        outputs.push_back(weight > 1.0 ? guided(denoiser, part, step.timestep, with,
                                                unconditional.value().rows(first, count), weight)
                                       : denoiser.predict(part, step.timestep, with));
    }
    return outputs.size() == 1 ? outputs.front() : at::cat(outputs);
}

}  // namespace

SamplerOutput sample(const Denoiser& denoiser, const Schedule& schedule, Method& method, SamplerInput input,
                     const SamplerOptions& options) {
    const at::NoGradGuard no_grad;
    SamplerOutput output{.latents = {}, .seeds = std::move(input.seeds)};
    const std::unique_ptr<Solver> solver = make_solver(schedule);

    at::Tensor x = method.start(input.noise, output.seeds) * schedule.initial_scale;
    for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
        const Step& step = schedule.steps[i];
        const GroupStep at{.index = i,
                           .count = schedule.steps.size(),
                           .step = step,
                           .time = step.timestep / schedule.train_timesteps,
                           .seeds = &output.seeds};

        const double weight = method.guidance(options.cfg_scale, at);
        const at::Tensor out = denoise(denoiser, x, step, method.condition(input.condition, at),
                                       input.unconditional, weight, options.chunk);
        Estimate estimate = split(schedule.prediction, out, x, step.from);
        {
            const Stopwatch watch(output.method_seconds);
            if (const std::optional<at::Tensor> kept = method.select(estimate.clean, at)) {
                x = x.index_select(0, *kept);
                estimate = {estimate.clean.index_select(0, *kept), estimate.noise.index_select(0, *kept)};
                input.condition = input.condition.select(*kept);
                if (input.unconditional) input.unconditional = input.unconditional->select(*kept);
                solver->keep(*kept);
                const at::Tensor indices = kept->to(at::kCPU);
                std::vector<std::uint64_t> seeds;
                for (std::int64_t k = 0; k < indices.numel(); ++k)
                    seeds.push_back(
                        output.seeds.at(static_cast<std::size_t>(indices[k].item<std::int64_t>())));
                output.seeds = std::move(seeds);
            }
            const at::Tensor steered = method.steer(estimate.clean, at);
            if (!steered.is_same(estimate.clean)) {
                estimate.clean = steered;
                if (method.injection() == Injection::rederive)
                    estimate.noise = noise_in(x, steered, step.from);
            }
        }
        x = solver->advance(i, x, estimate);
        if (options.after_step && !options.after_step(at, estimate.clean))
            fail(ErrorCode::interrupted, "sampling", "stopped after step {} of {}", i + 1, at.count);
    }
    output.latents = x;
    return output;
}

}  // namespace gass
