#pragma once

#include <gass/record.h>

namespace gass {

/// Shows a visitor each setting with its key in the settings table, in the order of a record. `settings`:
/// RecordedSettings, const or not.
template <class Settings, class Visitor>
void visit_settings(Settings& settings, Visitor&& visit) {
    visit("model", settings.model);
    visit("variant", settings.variant);
    visit("guide", settings.guide);
    visit("vary", settings.vary);
    visit("negative_prompt", settings.negative_prompt);
    visit("images", settings.images);
    visit("steps", settings.steps);
    visit("cfg_scale", settings.cfg_scale);
    visit("width", settings.width);
    visit("height", settings.height);
    visit("method", settings.method);
    visit("sampling_method", settings.sampling_method);
    visit("scheduler", settings.scheduler);
    visit("clip_skip", settings.clip_skip);
    visit("max_sequence_length", settings.max_sequence_length);
    visit("dtype", settings.dtype);
    visit("device", settings.device);
    visit("threads", settings.threads);
    visit("max_batch", settings.max_batch);
    visit("offload_to_cpu", settings.offload_to_cpu);
    visit("vae_tiling", settings.vae_tiling);
    visit("vae_slicing", settings.vae_slicing);
    visit("no_t5", settings.no_t5);
    visit("format", settings.format);
    visit("quality", settings.quality);
}

}  // namespace gass
