#include "record/image_infotext.h"

#include "record/labels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gass {
namespace {

/// The sampler by the name that A1111 has for it.
std::string sampler_name(const std::string& sampling_method) {
    if (sampling_method == "ddim") return "DDIM";
    if (sampling_method == "euler") return "Euler";
    if (sampling_method == "dpm++2m") return "DPM++ 2M";
    if (sampling_method == "plms") return "PLMS";
    return sampling_method;
}

}  // namespace

Infotext infotext_of(const Record& record, const ImageOrigin& image) {
    const RecordedSettings& settings = record.settings;
    Infotext info{image.prompt, settings.negative_prompt.value(), {}};
    info.fields = {
        {"Steps", std::to_string(settings.steps.value())},
        {"Sampler", sampler_name(settings.sampling_method.value())},
        {"Schedule type", settings.scheduler == "karras" ? "Karras" : "Automatic"},
        {"CFG scale", fmt::format("{}", settings.cfg_scale.value())},
        {"Seed", std::to_string(image.seed)},
        {"Size", fmt::format("{}x{}", settings.width.value(), settings.height.value())},
        {"Model hash", record.fingerprint.substr(0, 10)},
        {"Model", model_label(settings.model.value())},
    };
    if (record.variation) {
        info.fields.push_back({"Variation seed", std::to_string(record.variation->seed + image.place)});
        info.fields.push_back({"Variation seed strength", fmt::format("{}", record.variation->strength)});
    }
    if (record.start_image)
        info.fields.push_back({"Denoising strength", fmt::format("{}", record.start_image->strength)});
    // A1111 counts the layer that is taken, 1 for the last; we count those left out, as diffusers does.
    if (const std::int64_t skip = settings.clip_skip.value_or(0); skip > 0)
        info.fields.push_back({"Clip skip", std::to_string(skip + 1)});
    info.fields.push_back({"RNG", "CPU"});
    info.fields.push_back({"Diversity", method_label(settings.method.value())});
    info.fields.push_back({"Group seeds", fmt::format("{}", fmt::join(record.seeds, ","))});
    info.fields.push_back({"Group index", std::to_string(image.index)});
    info.fields.push_back({"Version", "gass " + record.version});
    return info;
}

}  // namespace gass
