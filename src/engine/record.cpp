#include "engine/record.h"

#include "guidance/registry.h"

#include <gass/version.h>

#include <ATen/Version.h>
#include <torch/version.h>

namespace gass {

Record record_of(const Engine& engine, const Request& completed, const Group& group) {
    const EngineOptions& options = engine.options();
    const auto if_given = [](const std::string& text) {
        return text.empty() ? std::nullopt : std::optional(text);
    };
    return {
        .version = std::string(version()),
        .fingerprint = engine.fingerprint(),
        .machine = "LibTorch " TORCH_VERSION ", " + at::get_cpu_capability(),
        .prompt = completed.prompt,
        .seeds = completed.seeds,
        .variation = completed.variation,
        .shield = completed.shield_files,
        .settings = {.model = options.model,
                     .variant = if_given(options.variant),
                     .guide = needs_vision(completed.method) ? std::optional(engine.guide()) : std::nullopt,
                     .vary = if_given(completed.vary),
                     .negative_prompt = completed.negative_prompt,
                     .images = completed.images,
                     .steps = completed.steps.value(),
                     .cfg_scale = completed.cfg_scale.value(),
                     .width = completed.width.value(),
                     .height = completed.height.value(),
                     .method = completed.method,
                     .sampling_method = completed.sampling_method,
                     .scheduler = completed.scheduler,
                     .clip_skip = completed.clip_skip,
                     .max_sequence_length = completed.max_sequence_length,
                     .dtype = engine.dtype(),
                     .device = engine.device(),
                     .threads = engine.threads(),
                     .max_batch = group.chunk,
                     .offload_to_cpu = engine.offloads(),
                     .vae_tiling = options.vae_tiling,
                     .vae_slicing = options.vae_slicing,
                     .no_t5 = options.no_t5}};
}

}  // namespace gass
