#include "engine/cost.h"

#include "core/fail.h"
#include "core/settings.h"
#include "engine/memory.h"
#include "engine/pace.h"

#include <algorithm>

namespace gass {
namespace {

double pixels_of(const PlanParts& plan) {
    return static_cast<double>(plan.size.width * plan.size.height);
}

/// For one image in the denoiser.
double denoiser_bytes(const LoadedModel& model, const PlanParts& plan) {
    return model.backbone().denoiser_bytes(plan.size) * (plan.is_guided() ? 2 : 1);
}

double decoder_bytes(const LoadedModel& model, const PlanParts& plan) {
    return model.backbone().decoder().bytes_per_pixel() * pixels_of(plan);
}

void check_host_memory(const LoadedModel& model, const PlanParts& plan) {
    // On the host: latents, their estimates and noise; the finished pictures, plain and as PNG.
    const double latents =
        static_cast<double>(c10::multiply_integers(model.backbone().latent_shape(plan.size)));
    const double host = static_cast<double>(plan.starts()) * 5 * sizeof(float) * latents +
                        static_cast<double>(plan.images) * 2 * 3 * pixels_of(plan);
    if (const double free = free_memory(at::kCPU); host > free) {
        fail(ErrorCode::out_of_memory, "memory",
             "the set needs about {:.1f} GB, {:.1f} GB are free; ask for less", host / 1e9, free / 1e9);
    }
}

}  // namespace

std::int64_t chunk_for(const LoadedModel& model, const PlanParts& plan) {
    check_host_memory(model, plan);
    const auto most = static_cast<std::int64_t>(find_setting("max_batch")->maximum);
    const double budget = model.free_bytes(model.offloads() ? model.backbone().denoiser_weight_bytes() : 0);
    std::int64_t fitting = images_that_fit(plan.starts(), denoiser_bytes(model, plan), budget,
                                           "choose a smaller size, or leave more memory");
    const EngineOptions& options = model.options();
    if (!options.vae_tiling && !options.vae_slicing) {
        fitting = std::min(
            fitting, images_that_fit(plan.starts(), decoder_bytes(model, plan), budget, "try `vae_tiling`"));
    }
    return std::min(plan.max_batch > 0 ? std::min(plan.max_batch, plan.starts()) : fitting, most);
}

std::int64_t evaluations_of(const LoadedModel& model, const PlanParts& plan) {
    const std::unique_ptr<Method> method =
        make_idle(plan.methods, plan.images, !plan.shield_files.empty(), model.family());
    const auto looks = static_cast<std::int64_t>(method->scout(plan.schedule, plan.starts()).size());
    const std::optional<std::size_t> choice = method->choice_step(plan.schedule);
    std::int64_t evaluations = looks * plan.starts();
    for (std::size_t i = 0; i < plan.schedule.steps.size(); ++i) {
        const Step& step = plan.schedule.steps[i];
        const GroupStep at{.index = i,
                           .count = plan.schedule.steps.size(),
                           .step = step,
                           .time = step.timestep / plan.schedule.train_timesteps};
        const std::int64_t images = choice && i <= *choice ? plan.starts() : plan.images;
        evaluations += images * (method->guidance(plan.cfg_scale, at) > 1.0 ? 2 : 1);
    }
    return evaluations;
}

PlanCost cost_of(const LoadedModel& model, const PlanParts& plan) {
    PlanCost cost{.evaluations = evaluations_of(model, plan),
                  .images_per_call = chunk_for(model, plan),
                  .weight_bytes = static_cast<std::uint64_t>(model.backbone().weight_bytes())};
    const double most = std::max(denoiser_bytes(model, plan), decoder_bytes(model, plan));
    cost.activation_bytes = static_cast<std::uint64_t>(most * static_cast<double>(cost.images_per_call));
    cost.seconds = expected_seconds(model, plan, cost.evaluations);
    return cost;
}

}  // namespace gass
