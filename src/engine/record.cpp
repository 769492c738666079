#include "engine/record.h"

#include "core/fail.h"
#include "core/quote.h"
#include "guidance/registry.h"

#include <gass/version.h>

#include <ATen/Version.h>
#include <fmt/ranges.h>
#include <torch/version.h>

#include <filesystem>

namespace gass {
namespace {

std::uint64_t seed_from(const Json& value, const std::string& where) {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kMaxSeed) {
        fail(ErrorCode::model_invalid, where, "a seed must be a whole number from 0 to {}, not {}", kMaxSeed,
             in_quotes(value.dump()));
    }
    return value.get<std::uint64_t>();
}

/// The sampler by the name that A1111 has for it.
std::string sampler_name(const std::string& sampling_method) {
    if (sampling_method == "ddim") return "DDIM";
    if (sampling_method == "euler") return "Euler";
    if (sampling_method == "dpm++2m") return "DPM++ 2M";
    return "PLMS";
}

}  // namespace

Record Record::from_json(const Json& json, std::string_view where) {
    JsonReader reader(json, where);
    Record record;
    record.version = reader.string("gass");
    record.fingerprint = reader.string("fingerprint");
    record.machine = reader.string("machine");
    record.prompt = reader.string("prompt");
    check_prompt(record.prompt, where);
    record.settings = reader.at("settings");
    const Json& seeds = reader.at("seeds");
    if (!seeds.is_array() || seeds.empty() || seeds.size() > kMaxSeeds)
        fail(ErrorCode::model_invalid, where, "\"seeds\" must be a list of 1 to {}", kMaxSeeds);
    for (const Json& seed : seeds) record.seeds.push_back(seed_from(seed, reader.where()));
    if (const Json* json_variation = reader.find("variation")) {
        JsonReader variation(*json_variation, where);
        const Json& strength = variation.at("strength");
        if (!strength.is_number() || !(strength.get<double>() >= 0 && strength.get<double>() <= 1))
            fail(ErrorCode::model_invalid, where, "a variation's strength must be 0 to 1");
        record.variation = {seed_from(variation.at("seed"), reader.where()), strength.get<double>()};
    }
    if (const Json* shield = reader.find("shield")) {
        const bool is_list = shield->is_array() && shield->size() <= kMaxShield &&
                             std::ranges::all_of(*shield, [](const Json& file) { return file.is_string(); });
        if (!is_list)
            fail(ErrorCode::model_invalid, where, "\"shield\" must be a list of at most {} files",
                 kMaxShield);
        record.shield = shield->get<std::vector<std::string>>();
    }
    return record;
}

Json Record::to_json() const {
    Json json = {{"gass", version},
                 {"fingerprint", fingerprint},
                 {"machine", machine},
                 {"prompt", prompt},
                 {"seeds", seeds}};
    if (variation) json["variation"] = {{"seed", variation->seed}, {"strength", variation->strength}};
    if (!shield.empty()) json["shield"] = shield;
    json["settings"] = settings;
    return json;
}

std::string model_label(const std::string& model) {
    const std::filesystem::path path = model;
    return (path.has_filename() ? path : path.parent_path()).filename().string();
}

Record record_of(const Engine& engine, const Request& completed, const Group& group) {
    const EngineOptions& options = engine.options();
    Record record{.version = std::string(version()),
                  .fingerprint = engine.fingerprint(),
                  .machine = "LibTorch " TORCH_VERSION ", " + at::get_cpu_capability(),
                  .prompt = completed.prompt,
                  .seeds = completed.seeds,
                  .variation = completed.variation,
                  .shield = completed.shield_files};
    record.settings = {{"model", options.model}};
    if (!options.variant.empty()) record.settings["variant"] = options.variant;
    if (needs_vision(completed.method)) record.settings["guide"] = engine.guide();
    if (!completed.vary.empty()) record.settings["vary"] = completed.vary;
    record.settings.update({{"negative_prompt", completed.negative_prompt},
                            {"images", completed.images},
                            {"steps", completed.steps.value()},
                            {"cfg_scale", completed.cfg_scale.value()},
                            {"width", completed.width.value()},
                            {"height", completed.height.value()},
                            {"method", completed.method},
                            {"sampling_method", completed.sampling_method},
                            {"scheduler", completed.scheduler},
                            {"clip_skip", completed.clip_skip},
                            {"max_sequence_length", completed.max_sequence_length},
                            {"dtype", engine.dtype()},
                            {"device", engine.device()},
                            {"threads", engine.threads()},
                            {"max_batch", group.chunk},
                            {"offload_to_cpu", engine.offloads()},
                            {"vae_tiling", options.vae_tiling},
                            {"vae_slicing", options.vae_slicing},
                            {"no_t5", options.no_t5}});
    return record;
}

Infotext infotext_of(const Record& record, const Group& group, std::size_t index) {
    const Json& settings = record.settings;
    const auto text = [&](const char* key) { return settings.at(key).get<std::string>(); };
    const auto number = [&](const char* key) { return settings.at(key).dump(); };
    Infotext info{group.prompts.at(index), text("negative_prompt"), {}};
    info.fields = {
        {"Steps", number("steps")},
        {"Sampler", sampler_name(text("sampling_method"))},
        {"Schedule type", text("scheduler") == "karras" ? "Karras" : "Automatic"},
        {"CFG scale", fmt::format("{}", settings.at("cfg_scale").get<double>())},
        {"Seed", std::to_string(group.seeds.at(index))},
        {"Size", fmt::format("{}x{}", number("width"), number("height"))},
        {"Model hash", record.fingerprint.substr(0, 10)},
        {"Model", model_label(text("model"))},
    };
    if (record.variation) {
        info.fields.push_back(
            {"Variation seed", std::to_string(record.variation->seed + group.places.at(index))});
        info.fields.push_back({"Variation seed strength", fmt::format("{}", record.variation->strength)});
    }
    // A1111 counts the layer that is taken, 1 for the last; we count those left out, as diffusers does.
    if (const auto skip = settings.at("clip_skip").get<std::int64_t>(); skip > 0)
        info.fields.push_back({"Clip skip", std::to_string(skip + 1)});
    info.fields.push_back({"RNG", "CPU"});
    info.fields.push_back({"Diversity", method_name(text("method"))});
    info.fields.push_back({"Group seeds", fmt::format("{}", fmt::join(record.seeds, ","))});
    info.fields.push_back({"Group index", std::to_string(index)});
    info.fields.push_back({"Version", "gass " + record.version});
    return info;
}

}  // namespace gass
