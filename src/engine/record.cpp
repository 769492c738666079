#include "engine/record.h"

#include "nn/device.h"

#include <gass/version.h>

#include <ATen/Version.h>
#include <torch/version.h>

namespace gass {

Record record_of(const LoadedModel& model, const PlanParts& plan, std::int64_t chunk) {
    const EngineOptions& options = model.options();
    const auto if_given = [](const std::string& text) {
        return text.empty() ? std::nullopt : std::optional(text);
    };
    return {.version = std::string(version()),
            .fingerprint = model.fingerprint().get(),
            .machine = "LibTorch " TORCH_VERSION ", " + at::get_cpu_capability(),
            .prompt = plan.prompt,
            .seeds = plan.seeds,
            .variation = plan.variation,
            .start_image = plan.start_image,
            .shield = plan.shield_files,
            .settings = {.model = options.model,
                         .variant = if_given(options.variant),
                         .guide = plan.methods.look() ? std::optional(model.guide_name()) : std::nullopt,
                         .vary = if_given(plan.vary),
                         .negative_prompt = plan.negative_prompt,
                         .images = plan.images,
                         .steps = plan.steps,
                         .cfg_scale = plan.cfg_scale,
                         .width = plan.size.width,
                         .height = plan.size.height,
                         .method = plan.methods.text(),
                         .sampling_method = plan.sampling_method,
                         .scheduler = plan.scheduler,
                         .clip_skip = plan.text.clip_skip,
                         .max_sequence_length = plan.text.max_sequence_length,
                         .dtype = dtype_name(model.placement().dtype),
                         .device = model.device().is_cpu() ? "cpu" : "cuda",
                         .threads = model.threads(),
                         .max_batch = chunk,
                         .offload_to_cpu = model.offloads(),
                         .vae_tiling = options.vae_tiling,
                         .vae_slicing = options.vae_slicing,
                         .no_t5 = options.no_t5,
                         .format = {},
                         .quality = {}}};
}

}  // namespace gass
