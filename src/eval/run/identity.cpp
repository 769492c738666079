#include "eval/run/identity.h"

#include "guidance/text/parameters.h"

#include <array>
#include <span>
#include <string>
#include <utility>

namespace gass::eval {
namespace {

// Keys are hashes of these fields, in this order: one that is taken away, or moved, makes all groups of all
// stores strangers. So does a new one, unless records have it only where it changes what came before it.
constexpr std::array<std::string_view, 4> kFields{"gass", "fingerprint", "variation", "shield"};
constexpr std::array<std::string_view, 20> kSettings{
    "variant",
    "guide",
    "vary",
    "negative_prompt",
    "images",
    "steps",
    "cfg_scale",
    "width",
    "height",
    "method",
    "sampling_method",
    "scheduler",
    "clip_skip",
    "max_sequence_length",
    "dtype",
    "device",
    "offload_to_cpu",
    "vae_tiling",
    "vae_slicing",
    "no_t5",
};

/// Those of the members that are there.
Json picked(const Json& object, std::span<const std::string_view> keys) {
    Json result = Json::object();
    for (const std::string_view key : keys) {
        if (const auto member = object.find(key); member != object.end()) result[key] = *member;
    }
    return result;
}

}  // namespace

Json identity_of(const Json& record, std::string_view guide) {
    Json identity = picked(record, kFields);
    Json settings = picked(record.at("settings"), kSettings);
    if (settings.contains("guide")) settings["guide"] = guide;
    const auto device = settings.at("device").get<std::string>();
    settings["device"] = device.substr(0, device.find(':'));
    settings["method"] = without_later_knobs(settings.at("method").get<std::string>());
    identity["settings"] = std::move(settings);
    return identity;
}

}  // namespace gass::eval
