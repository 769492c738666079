#include "engine/request.h"

#include "core/fail.h"
#include "core/quote.h"
#include "guidance/parameters.h"

#include <algorithm>

namespace gass {
namespace {

template <class Value>
std::optional<Value> value_of(const Settings& settings, std::string_view key) {
    const Json* value = settings.find(key);
    return value == nullptr ? std::nullopt : std::optional(value->get<Value>());
}

/// Dials of their own that are parameters of gass.
std::string with_parameter(const std::string& method, std::string_view key, double value,
                           const std::string& where) {
    MethodSpecs specs = parse_methods(method);
    MethodSpec* gass = find_method(specs, "gass");
    if (gass == nullptr)
        fail(ErrorCode::usage, where, "the method {} has no such dial; gass has", in_quotes(method));
    gass->set(key, fmt::format("{}", value));
    return to_string(specs);
}

}  // namespace

Request request_from(const Settings& settings) {
    Request request;
    request.images = value_of<std::int64_t>(settings, "images").value();
    request.negative_prompt = settings.text("negative_prompt");
    request.steps = value_of<std::int64_t>(settings, "steps");
    request.cfg_scale = value_of<double>(settings, "cfg_scale");
    request.width = value_of<std::int64_t>(settings, "width");
    request.height = value_of<std::int64_t>(settings, "height");
    request.clip_skip = value_of<std::int64_t>(settings, "clip_skip").value();
    request.max_sequence_length = value_of<std::int64_t>(settings, "max_sequence_length").value();
    request.sampling_method = settings.text("sampling_method");
    request.scheduler = settings.text("scheduler");
    request.method = settings.text("method");
    for (const char* key : {"strength", "dep", "ind"}) {
        if (const auto value = value_of<double>(settings, key))
            request.method = with_parameter(request.method, key, *value, settings.origin(key));
    }
    request.vary = settings.text("vary");
    check_prompt(request.vary, "--vary");
    request.shield = settings.text("shield");
    check_prompt(request.shield, "--shield");  // a record names it, and must be JSON
    request.max_batch = value_of<std::int64_t>(settings, "max_batch").value();
    check_prompt(request.negative_prompt, "--negative-prompt");
    return request;
}

EngineOptions engine_options_from(const Settings& settings) {
    return {.model = settings.text("model"),
            .variant = settings.text("variant"),
            .guide = settings.text("guide"),
            .dtype = settings.text("dtype"),
            .device = settings.text("device"),
            .threads = value_of<std::int64_t>(settings, "threads").value(),
            .max_vram = value_of<double>(settings, "max_vram").value(),
            .offload_to_cpu = value_of<bool>(settings, "offload_to_cpu").value(),
            .vae_tiling = value_of<bool>(settings, "vae_tiling").value(),
            .vae_slicing = value_of<bool>(settings, "vae_slicing").value(),
            .no_t5 = value_of<bool>(settings, "no_t5").value()};
}

std::string for_variations(const std::string& method) {
    MethodSpecs specs = parse_methods(method);
    if (MethodSpec* gass = find_method(specs, "gass")) {
        for (const auto& [key, value] : {std::pair{"start", "0"}, {"mean_scale", "1"}, {"candidates", "1"}})
            gass->set_if_open(key, value);
    }
    return to_string(specs);
}

std::vector<std::uint64_t> seeds_for(std::vector<std::uint64_t> seeds, std::size_t count) {
    if (count > seeds.size()) {
        const std::uint64_t last = *std::max_element(seeds.begin(), seeds.end());
        const auto more = consecutive_seeds(last + 1, count - seeds.size());
        seeds.insert(seeds.end(), more.begin(), more.end());
    }
    seeds.resize(count);
    return seeds;
}

std::vector<std::uint64_t> consecutive_seeds(std::uint64_t first, std::size_t count) {
    if (first > kMaxSeed || count - 1 > kMaxSeed - first) {
        fail(ErrorCode::usage, "--seed", "the seeds {} to {} leave the range 0 to {}", first,
             first + count - 1, kMaxSeed);
    }
    std::vector<std::uint64_t> seeds(count);
    for (std::size_t i = 0; i < count; ++i) seeds[i] = first + i;
    return seeds;
}

}  // namespace gass
