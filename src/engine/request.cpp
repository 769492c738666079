#include "engine/request.h"

#include "core/fail.h"
#include "engine/plan_parts.h"
#include "guidance/registry.h"
#include "record/recorded_settings.h"

#include <algorithm>
#include <type_traits>

namespace gass {

Request request_from(const Settings& settings) {
    Request request;
    visit_request(request, [&]<class Value>(const char* key, std::optional<Value>& value) {
        if (const Json* json = settings.find(key)) value = json->get<Value>();
    });
    return request;
}

EngineOptions engine_options_from(const Settings& settings) {
    const auto whole = [&](const char* key) { return settings.find(key)->get<std::int64_t>(); };
    const auto is_on = [&](const char* key) { return settings.find(key)->get<bool>(); };
    return {.model = settings.text("model"),
            .variant = settings.text("variant"),
            .guide = settings.text("guide"),
            .dtype = settings.text("dtype"),
            .device = settings.text("device"),
            .threads = whole("threads"),
            .max_vram = settings.find("max_vram")->get<double>(),
            .offload_to_cpu = is_on("offload_to_cpu"),
            .vae_tiling = is_on("vae_tiling"),
            .vae_slicing = is_on("vae_slicing"),
            .no_t5 = is_on("no_t5")};
}

Request request_from(const Record& record) {
    Request request{.prompt = record.prompt,
                    .seeds = record.seeds,
                    .shield_files = record.shield,
                    .variation = record.variation,
                    .start_image = record.start_image};
    visit_request(request, [&]<class Value>(std::string_view key, std::optional<Value>& value) {
        visit_settings(record.settings,
                       [&]<class Recorded>(std::string_view recorded, const std::optional<Recorded>& was) {
                           if constexpr (std::is_same_v<Value, Recorded>) {
                               if (key == recorded) value = was;
                           }
                       });
    });
    return request;
}

EngineOptions engine_options_from(const Record& record) {
    const RecordedSettings& settings = record.settings;
    EngineOptions options;
    options.model = settings.model.value_or(options.model);
    options.variant = settings.variant.value_or("");
    options.guide = settings.guide.value_or("");
    options.dtype = settings.dtype.value_or(options.dtype);
    options.device = settings.device.value_or(options.device);
    options.threads = settings.threads.value_or(0);
    options.offload_to_cpu = settings.offload_to_cpu.value_or(false);
    options.vae_tiling = settings.vae_tiling.value_or(false);
    options.vae_slicing = settings.vae_slicing.value_or(false);
    options.no_t5 = settings.no_t5.value_or(false);
    return options;
}

Request settled_request(const Plan& plan) {
    Request request = plan.parts().request;
    if (request.seeds.empty()) request.seed = static_cast<std::int64_t>(plan.seeds().front());
    request.shield = std::nullopt;
    request.shield_files = plan.parts().shield_files;
    return request;
}

Request with_method(Request request, std::string_view method) {
    const Methods methods(method);
    request.method = method;
    request.strength = request.dep = request.ind = std::nullopt;  // those of the method before
    if (!methods.take_axes()) request.vary = std::nullopt;
    if (!methods.take_shield()) {
        request.shield = std::nullopt;
        request.shield_files.clear();
    }
    request.seeds_go_on = true;
    return request;
}

Request under_method(const Request& request, std::string_view method) {
    Request result = with_method(request, method);
    if (!Methods(method).have_dial()) return result;
    const MethodSpecs specs = parse_methods(method);
    const auto is_said = [&](std::string_view key) {
        return std::ranges::any_of(specs, [&](const MethodSpec& spec) { return spec.find(key) != nullptr; });
    };
    if (!is_said("strength")) result.strength = request.strength;
    if (!is_said("dep")) result.dep = request.dep;
    if (!is_said("ind")) result.ind = request.ind;
    return result;
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
        fail(ErrorCode::usage, SettingKey("seed"), "the seeds {} to {} leave the range 0 to {}", first,
             first + count - 1, kMaxSeed);
    }
    std::vector<std::uint64_t> seeds(count);
    for (std::size_t i = 0; i < count; ++i) seeds[i] = first + i;
    return seeds;
}

}  // namespace gass
