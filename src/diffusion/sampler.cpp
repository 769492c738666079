#include "diffusion/sampler.h"

#include "core/fail.h"
#include "core/stopwatch.h"
#include "diffusion/solver.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cassert>

namespace gass {
namespace {

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

/// A group on its way: what has a row for each image.
struct Group {
    at::Tensor x;
    Condition condition;
    std::optional<Condition> unconditional;
    std::vector<std::uint64_t> seeds;
    std::vector<std::size_t> places;  // in the input

    void keep(const at::Tensor& indices) {
        x = x.index_select(0, indices);
        condition = condition.select(indices);
        if (unconditional) unconditional = unconditional->select(indices);
        const at::Tensor list = indices.to(at::kCPU);
        std::vector<std::uint64_t> kept_seeds;
        std::vector<std::size_t> kept_places;
        for (std::int64_t k = 0; k < list.numel(); ++k) {
            const auto index = static_cast<std::size_t>(list[k].item<std::int64_t>());
            kept_seeds.push_back(seeds.at(index));
            kept_places.push_back(places.at(index));
        }
        seeds = std::move(kept_seeds);
        places = std::move(kept_places);
    }
};

GroupStep step_of(const Schedule& schedule, std::size_t index, const Group& group) {
    const Step& step = schedule.steps.at(index);
    return {.index = index,
            .count = schedule.steps.size(),
            .step = step,
            .time = step.timestep / schedule.train_timesteps,
            .seeds = &group.seeds,
            .x = &group.x};
}

/// Lets candidates take a few long steps, shows the method what they become, and drops those it does not
/// want. The group goes on from its own noise.
void look_ahead(const Denoiser& denoiser, const Schedule& schedule, Method& method, Group& group,
                const SamplerOptions& options) {
    const std::vector<std::size_t> looks = method.scout(schedule, group.x.size(0));
    if (looks.empty()) return;
    at::Tensor x = group.x * schedule.initial_scale;
    for (std::size_t i = 0; i < looks.size(); ++i) {
        if (options.should_stop && options.should_stop())
            fail(ErrorCode::interrupted, "sampling", "stopped while candidates looked ahead");
        const GroupStep at = step_of(schedule, looks[i], group);
        const at::Tensor out = denoise(denoiser, x, at.step, method.condition(group.condition, at),
                                       std::nullopt, 1.0, options.chunk);
        const DenoisedEstimate estimate = split(schedule.prediction, out, x, at.step.from);
        if (i + 1 < looks.size()) {
            x = mix(estimate, schedule.steps.at(looks[i + 1]).from);
        } else if (const std::optional<at::Tensor> kept = method.select(estimate.clean, at)) {
            group.keep(*kept);
        }
    }
}

}  // namespace

SamplerOutput sample(const Denoiser& denoiser, const Schedule& schedule, Method& method, SamplerInput input,
                     const SamplerOptions& options) {
    const at::NoGradGuard no_grad;
    Group group{
        input.noise, std::move(input.condition), std::move(input.unconditional), std::move(input.seeds), {}};
    assert(!input.clean.defined() || method.scout(schedule, group.x.size(0)).empty());
    for (std::size_t i = 0; i < group.seeds.size(); ++i) group.places.push_back(i);
    const Stopwatch before_the_loop;
    look_ahead(denoiser, schedule, method, group, options);
    const at::Tensor noise = method.start(group.x, group.seeds);
    group.x = input.clean.defined() ? mix({input.clean.expand_as(noise), noise}, schedule.steps.front().from)
                                    : noise * schedule.initial_scale;
    double method_seconds = before_the_loop.seconds();
    const std::unique_ptr<Solver> solver = make_solver(schedule);
    for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
        const GroupStep at = step_of(schedule, i, group);
        const double weight = method.guidance(options.cfg_scale, at);
        std::optional<Condition> unconditional = group.unconditional;
        if (unconditional && weight > 1.0) unconditional = method.unconditional(*unconditional, at);
        const at::Tensor out = denoise(denoiser, group.x, at.step, method.condition(group.condition, at),
                                       unconditional, weight, options.chunk);
        DenoisedEstimate estimate = split(schedule.prediction, out, group.x, at.step.from);
        const Stopwatch in_the_method;
        if (const std::optional<at::Tensor> kept = method.select(estimate.clean, at)) {
            group.keep(*kept);
            estimate = {estimate.clean.index_select(0, *kept), estimate.noise.index_select(0, *kept)};
            solver->keep(*kept);
        }
        const at::Tensor steered = method.steer(estimate.clean, at);
        if (!steered.is_same(estimate.clean)) {
            // By the difference, so that steering by nothing changes nothing, to the last bit.
            if (method.injection() != Injection::keep_noise) {
                const NoiseLevel level = at.step.from;
                estimate.noise = estimate.noise - (level.signal / level.noise) * (steered - estimate.clean);
            }
            estimate.clean = steered;
        }
        method_seconds += in_the_method.seconds();
        group.x = solver->advance(i, group.x, estimate);
        if (options.after_step && !options.after_step(at, estimate.clean))
            fail(ErrorCode::interrupted, "sampling", "stopped after step {} of {}", i + 1, at.count);
    }
    return {.latents = group.x,
            .seeds = std::move(group.seeds),
            .kept = std::move(group.places),
            .method_seconds = method_seconds};
}

}  // namespace gass
