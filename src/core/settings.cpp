#include "core/settings.h"

#include "core/fail.h"
#include "core/log.h"
#include "core/quote.h"
#include "core/text.h"
#include "core/wording.h"

#include <gass/record.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace gass {
namespace {

constexpr std::array kSpecs{
    SettingSpec{.key = "model",
                .flags = "-m,--model",
                .help = "embedded model, folder, or org/name in the Hugging Face cache",
                .built_in = "mini-flow"},
    SettingSpec{.key = "variant",
                .flags = "--variant",
                .help = "variant of the weight files to take where it exists, fp16 for instance"},
    SettingSpec{.key = "steps",
                .flags = "--steps",
                .type = SettingType::integer,
                .help = "denoising steps",
                .minimum = 1,
                .maximum = 1000},
    SettingSpec{.key = "cfg_scale",
                .flags = "--cfg-scale",
                .type = SettingType::number,
                .help = "guidance scale; 1 is off",
                .minimum = 0,
                .maximum = 100},
    SettingSpec{.key = "width",
                .flags = "-W,--width",
                .type = SettingType::integer,
                .help = "image width in pixels",
                .minimum = 8,
                .maximum = 16384,
                .multiple_of = 8},
    SettingSpec{.key = "height",
                .flags = "-H,--height",
                .type = SettingType::integer,
                .help = "image height in pixels",
                .minimum = 8,
                .maximum = 16384,
                .multiple_of = 8},
    SettingSpec{
        .key = "negative_prompt", .flags = "-N,--negative-prompt", .help = "what the images should not show"},
    SettingSpec{.key = "images",
                .flags = "-n,--images,-b,--batch-count",
                .type = SettingType::integer,
                .help = "images in the set",
                .minimum = 1,
                .maximum = 1024,
                .built_in = "4"},
    SettingSpec{.key = "seed",
                .flags = "-s,--seed",
                .type = SettingType::integer,
                .help = "first seed, others count up from it; -1 is a random one",
                .minimum = -1,
                .maximum = double{kMaxSeed},
                .built_in = "42"},
    SettingSpec{.key = "method",
                .flags = "--method",
                .help = "how the set is made to differ: NAME or NAME:KEY=VALUE,…; see gass methods",
                .built_in = "gass"},
    SettingSpec{.key = "strength",
                .flags = "--strength",
                .type = SettingType::number,
                .help = "how far gass spreads the set: 0 is plain guidance, 0.5 the default",
                .minimum = 0,
                .maximum = 1},
    SettingSpec{.key = "dep",
                .flags = "--dep",
                .type = SettingType::number,
                .help = "weight of spread in meaning, along the prompt's direction (default: 0)",
                .minimum = 0,
                .maximum = 10},
    SettingSpec{.key = "ind",
                .flags = "--ind",
                .type = SettingType::number,
                .help = "weight of spread in surroundings, across that direction (default: 1)",
                .minimum = 0,
                .maximum = 10},
    SettingSpec{.key = "vary",
                .flags = "--vary",
                .help = "axes to spread the set along, two texts each: \"at night|at noon; red|blue\""},
    SettingSpec{
        .key = "shield",
        .flags = "--shield,--away-from",
        .help = "image or folder of images, earlier sets for instance, that gass and spell keep the set away "
                "from"},
    SettingSpec{.key = "guide",
                .flags = "--guide",
                .help = "CLIP model that methods see through (default: the one in the model's gass.json)"},
    SettingSpec{.key = "format",
                .flags = "--format",
                .type = SettingType::choice,
                .help = "file format of the images",
                .choices = "png|jpeg|webp",
                .built_in = "png"},
    SettingSpec{.key = "quality",
                .flags = "--quality",
                .type = SettingType::integer,
                .help = "quality of JPEG and WebP; 100 makes a WebP lossless",
                .minimum = 1,
                .maximum = 100,
                .built_in = "90"},
    SettingSpec{.key = "sampling_method",
                .flags = "--sampling-method",
                .type = SettingType::choice,
                .help = "solver; \"default\" is the model's own",
                .choices = "default|ddim|euler|dpm++2m|plms",
                .built_in = "default"},
    SettingSpec{.key = "scheduler",
                .flags = "--scheduler",
                .type = SettingType::choice,
                .help = "spacing of the noise levels; karras is for euler and dpm++2m",
                .choices = "default|karras",
                .built_in = "default"},
    SettingSpec{
        .key = "clip_skip",
        .flags = "--clip-skip",
        .type = SettingType::integer,
        .help = "how many of the last layers of CLIP's text encoder to leave out (A1111's value minus 1)",
        .minimum = 0,
        .maximum = 64,
        .built_in = "0"},
    SettingSpec{.key = "max_sequence_length",
                .flags = "--max-sequence-length",
                .type = SettingType::integer,
                .help = "most tokens that the T5 encoder reads",
                .minimum = 1,
                .maximum = 512,
                .built_in = "256"},
    SettingSpec{
        .key = "device", .flags = "--device", .help = "auto, cpu, cuda or cuda:N", .built_in = "auto"},
    SettingSpec{.key = "dtype",
                .flags = "--dtype",
                .type = SettingType::choice,
                .help = "number type; auto is fp32 on a CPU, bf16 on a GPU",
                .choices = "auto|fp32|bf16|fp16",
                .built_in = "auto"},
    SettingSpec{.key = "max_batch",
                .flags = "--max-batch",
                .type = SettingType::integer,
                .help = "images per network call; 0 is what memory allows",
                .minimum = 0,
                .maximum = 1024,
                .built_in = "0"},
    SettingSpec{.key = "threads",
                .flags = "-t,--threads",
                .type = SettingType::integer,
                .help = "CPU threads; 0 is one for each core",
                .minimum = 0,
                .maximum = 1024,
                .built_in = "0"},
    SettingSpec{.key = "max_vram",
                .flags = "--max-vram",
                .type = SettingType::number,
                .help = "GB of GPU memory to use; 0 is all that is free",
                .minimum = 0,
                .maximum = 10000,
                .built_in = "0"},
    SettingSpec{.key = "offload_to_cpu",
                .flags = "--offload-to-cpu",
                .type = SettingType::boolean,
                .help = "let the networks take turns on the GPU",
                .built_in = "false"},
    SettingSpec{.key = "vae_tiling",
                .flags = "--vae-tiling",
                .type = SettingType::boolean,
                .help = "decode large images in tiles, which takes less memory",
                .built_in = "false"},
    SettingSpec{.key = "vae_slicing",
                .flags = "--vae-slicing",
                .type = SettingType::boolean,
                .help = "decode one image at a time",
                .built_in = "false"},
    SettingSpec{.key = "no_t5",
                .flags = "--no-t5",
                .type = SettingType::boolean,
                .help = "leave out the T5 text encoder of Stable Diffusion 3",
                .built_in = "false"},
    SettingSpec{.key = "progress",
                .flags = "--progress",
                .type = SettingType::choice,
                .help = "how to show progress on stderr; auto is a bar on a terminal and nothing elsewhere",
                .choices = "auto|plain|json|none",
                .built_in = "auto"},
    SettingSpec{.key = "log_level",
                .flags = "--log-level",
                .type = SettingType::choice,
                .help = "how much to say on stderr",
                .choices = "error|warn|info|debug",
                .built_in = "warn"},
};

constexpr std::string_view kEnvironmentPrefix = "GASS_";
// Read where they are needed: they say where the presets lie, where the cache is kept, where LibTorch is and
// where the user's own settings are.
constexpr std::array<std::string_view, 4> kPlaceVariables{"GASS_DATA_DIR", "GASS_CACHE_DIR", "GASS_TORCH",
                                                          "GASS_USER_CONFIG"};

/// What is wrong with a value for a setting; empty if nothing is.
std::string complaint(const SettingSpec& spec, const Json& value) {
    switch (spec.type) {
        case SettingType::text:
            if (!value.is_string()) return "expected text";
            return is_utf8(value.get_ref<const std::string&>()) ? "" : "expected text in UTF-8";
        case SettingType::boolean:
            return value.is_boolean() ? "" : "expected true or false";
        case SettingType::choice: {
            const auto choices = split(spec.choices, '|');
            const bool known =
                value.is_string() && std::find(choices.begin(), choices.end(),
                                               value.get_ref<const std::string&>()) != choices.end();
            return known ? "" : fmt::format("expected one of {}", fmt::join(choices, ", "));
        }
        case SettingType::integer:
            if (!value.is_number_integer()) return "expected a whole number";
            break;
        case SettingType::number:
            if (!value.is_number()) return "expected a number";
            break;
    }
    const double number = value.get<double>();
    if (!std::isfinite(number) || number < spec.minimum || number > spec.maximum) {
        return fmt::format("expected {} to {}", spec.minimum, spec.maximum);
    }
    if (spec.multiple_of > 1 && value.get<std::int64_t>() % spec.multiple_of != 0) {
        return fmt::format("expected a multiple of {}", spec.multiple_of);
    }
    return "";
}

/// The text as the type that the setting wants; stays text where it cannot be that, for `complaint` to
/// refuse.
Json typed(const SettingSpec& spec, std::string_view text) {
    if (spec.type == SettingType::integer) {
        if (const auto value = parse_number<std::int64_t>(text)) return *value;
    } else if (spec.type == SettingType::number) {
        // JSON has no NaN.
        if (const auto value = parse_number<double>(text); value && std::isfinite(*value)) return *value;
    } else if (spec.type == SettingType::boolean) {
        if (text == "true" || text == "1") return true;
        if (text == "false" || text == "0") return false;
    }
    return std::string(text);
}

/// What is wrong with a value, and with which: `expected one of png, jpeg, webp, got "jpg"`.
std::string objection(const SettingSpec& spec, const std::string& wrong, const Json& value) {
    const std::string shown = value.is_string() ? value.get<std::string>() : value.dump();
    return fmt::format(
        "{}, got {}{}", wrong, in_quotes(shown),
        spec.type == SettingType::choice ? did_you_mean(shown, split(spec.choices, '|')) : std::string());
}

/// The setting whose variable that is, or nullptr.
const SettingSpec* spec_of_variable(std::string_view name) {
    const auto spec = std::ranges::find(kSpecs, name, environment_name);
    return spec == kSpecs.end() ? nullptr : &*spec;
}

std::vector<std::string> setting_keys() {
    std::vector<std::string> keys;
    for (const SettingSpec& spec : kSpecs) keys.emplace_back(spec.key);
    return keys;
}

/// The entries of the environment that begin with GASS_: name and value.
std::vector<std::pair<std::string_view, std::string_view>> own_variables() {
    std::vector<std::pair<std::string_view, std::string_view>> variables;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        if (!text.starts_with(kEnvironmentPrefix)) continue;
        const std::string_view name = text.substr(0, text.find('='));
        if (std::ranges::find(kPlaceVariables, name) == kPlaceVariables.end())
            variables.emplace_back(name, text.substr(std::min(text.size(), name.size() + 1)));
    }
    return variables;
}

std::size_t index_of(SettingLayer layer) {
    return static_cast<std::size_t>(layer);
}

}  // namespace

std::span<const SettingSpec> setting_specs() {
    return kSpecs;
}

const SettingSpec* find_setting(std::string_view key) {
    const auto it =
        std::find_if(kSpecs.begin(), kSpecs.end(), [&](const SettingSpec& spec) { return spec.key == key; });
    return it == kSpecs.end() ? nullptr : &*it;
}

std::string flag_of(std::string_view key) {
    if (const SettingSpec* spec = find_setting(key)) {
        for (const std::string_view flag : split(spec->flags, ',')) {
            if (flag.starts_with("--")) return std::string(flag);
        }
    }
    std::string flag = "--" + std::string(key);
    std::ranges::replace(flag, '_', '-');
    return flag;
}

std::string environment_name(const SettingSpec& spec) {
    std::string name(kEnvironmentPrefix);
    for (const char c : spec.key) name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return name;
}

Settings::Settings() {
    for (const SettingSpec& spec : kSpecs) {
        if (!spec.built_in.empty()) set_text(SettingLayer::built_in, spec, spec.built_in, "built in");
    }
}

void Settings::put(SettingLayer layer, const SettingSpec& spec, Json value, std::string_view origin,
                   ErrorCode code) {
    if (const std::string wrong = complaint(spec, value); !wrong.empty()) {
        fail(code, origin, "{}: {}", spec.key, objection(spec, wrong, value));
    }
    layers_[index_of(layer)][std::string(spec.key)] = {std::move(value), std::string(origin)};
}

void Settings::set_text(SettingLayer layer, const SettingSpec& spec, std::string_view text,
                        std::string_view origin) {
    put(layer, spec, typed(spec, text), origin, ErrorCode::usage);
}

void Settings::set_object(SettingLayer layer, const Json& object, std::string_view origin, ErrorCode code) {
    if (!object.is_object())
        fail(code, origin, "expected a JSON object with settings, got {}", object.type_name());
    for (const auto& [key, value] : object.items()) {
        const SettingSpec* spec = find_setting(key);
        if (spec == nullptr)
            fail(code, origin, "unknown setting {}{}", in_quotes(key), did_you_mean(key, setting_keys()));
        put(layer, *spec, value, origin, code);
    }
}

void Settings::set(SettingLayer layer, std::string_view key, Json value) {
    const SettingSpec& spec = *find_setting(key);
    if (const std::string wrong = complaint(spec, value); !wrong.empty()) {
        fail(ErrorCode::usage, SettingKey(key), "{}", objection(spec, wrong, value));
    }
    layers_[index_of(layer)][std::string(key)] = {std::move(value), std::string(key)};
}

void Settings::set_environment() {
    for (const auto& [name, text] : own_variables()) {
        if (const SettingSpec* spec = spec_of_variable(name))
            set_text(SettingLayer::environment, *spec, text, name);
    }
}

void warn_of_unknown_variables() {
    std::vector<std::string> known(kPlaceVariables.begin(), kPlaceVariables.end());
    for (const SettingSpec& spec : kSpecs) known.push_back(environment_name(spec));
    for (const auto& [name, text] : own_variables()) {
        if (spec_of_variable(name) == nullptr)
            log::warn("[{}] gass knows no such environment variable{}; it is ignored", name,
                      did_you_mean(name, known));
    }
}

const Settings::Value* Settings::winner(std::string_view key) const {
    for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
        if (const auto it = layer->find(key); it != layer->end()) return &it->second;
    }
    return nullptr;
}

const Json* Settings::find(std::string_view key) const {
    const Value* value = winner(key);
    return value == nullptr ? nullptr : &value->value;
}

std::string Settings::text(std::string_view key) const {
    const Json* value = find(key);
    if (value == nullptr) return "";
    return value->is_string() ? value->get<std::string>() : value->dump();
}

std::string Settings::origin(std::string_view key) const {
    const Value* value = winner(key);
    return value == nullptr ? "" : value->origin;
}

Json Settings::resolved() const {
    Json result = Json::object();
    for (const SettingSpec& spec : kSpecs) {
        if (const Json* value = find(spec.key)) result[std::string(spec.key)] = *value;
    }
    return result;
}

}  // namespace gass
