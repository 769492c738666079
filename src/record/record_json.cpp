#include "record/record_json.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/settings.h"
#include "core/text.h"
#include "record/recorded_settings.h"

#include <algorithm>
#include <set>
#include <type_traits>

namespace gass {
namespace {

std::uint64_t read_seed(const Json& value, std::string_view where) {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kMaxSeed) {
        fail(ErrorCode::model_invalid, where, "a seed must be a whole number from 0 to {}, not {}", kMaxSeed,
             in_quotes(value.dump()));
    }
    return value.get<std::uint64_t>();
}

Variation read_variation(const Json& json, std::string_view where) {
    JsonReader reader(json, where);
    const Json& strength = reader.at("strength");
    if (!strength.is_number() || !(strength.get<double>() >= 0 && strength.get<double>() <= 1))
        fail(ErrorCode::model_invalid, where, "a variation's strength must be 0 to 1");
    return {.seed = read_seed(reader.at("seed"), where), .strength = strength.get<double>()};
}

StartImage read_start_image(const Json& json, std::string_view where) {
    JsonReader reader(json, where);
    const Json& strength = reader.at("strength");
    if (!strength.is_number() || !(strength.get<double>() > 0 && strength.get<double>() <= 1))
        fail(ErrorCode::model_invalid, where, "a start image's strength must be above 0 and at most 1");
    return {.file = reader.string("file"), .strength = strength.get<double>(), .hash = reader.string("hash")};
}

std::vector<std::string> read_shield(const Json& json, std::string_view where) {
    const bool is_list = json.is_array() && json.size() <= kMaxShield &&
                         std::ranges::all_of(json, [](const Json& file) { return file.is_string(); });
    if (!is_list)
        fail(ErrorCode::model_invalid, where, "\"shield\" must be a list of at most {} files", kMaxShield);
    return json.get<std::vector<std::string>>();
}

}  // namespace

Json to_json(const RecordedSettings& settings) {
    Json json = Json::object();
    visit_settings(settings, [&](const char* key, const auto& value) {
        if (value) json[key] = *value;
    });
    return json;
}

RecordedSettings read_recorded_settings(const Json& json, std::string_view where) {
    // The same checks as a flag's or a config file's.
    Settings().set_object(SettingLayer::config, json, where, ErrorCode::model_invalid);
    RecordedSettings settings;
    std::set<std::string_view> recorded;
    visit_settings(settings, [&](const char* key, auto& value) {
        recorded.insert(key);
        if (const auto found = json.find(key); found != json.end())
            value = found->template get<typename std::remove_reference_t<decltype(value)>::value_type>();
    });
    for (const auto& [key, value] : json.items()) {
        if (!recorded.contains(key))
            fail(ErrorCode::model_invalid, where, "a record has no setting {}", in_quotes(key));
    }
    return settings;
}

std::vector<std::pair<std::string, std::string>> texts_of(const RecordedSettings& settings) {
    std::vector<std::pair<std::string, std::string>> texts;
    const Json json = to_json(settings);
    for (const auto& [key, value] : json.items())
        texts.emplace_back(key, value.is_string() ? value.get<std::string>() : value.dump());
    return texts;
}

Json to_json(const Record& record) {
    Json json = {{"gass", record.version},
                 {"fingerprint", record.fingerprint},
                 {"machine", record.machine},
                 {"prompt", record.prompt},
                 {"seeds", record.seeds}};
    if (const auto& variation = record.variation)
        json["variation"] = {{"seed", variation->seed}, {"strength", variation->strength}};
    if (const auto& start = record.start_image)
        json["start_image"] = {{"file", start->file}, {"strength", start->strength}, {"hash", start->hash}};
    if (!record.shield.empty()) json["shield"] = record.shield;
    json["settings"] = to_json(record.settings);
    return json;
}

Record read_record(const Json& json, std::string_view where) {
    JsonReader reader(json, where);
    Record record;
    record.version = reader.string("gass");
    record.fingerprint = reader.string("fingerprint");
    record.machine = reader.string("machine");
    record.prompt = reader.string("prompt");
    check_prompt(record.prompt, where);
    const Json& settings = reader.at("settings");
    const Json& seeds = reader.at("seeds");
    if (!seeds.is_array() || seeds.empty() || seeds.size() > kMaxSeeds)
        fail(ErrorCode::model_invalid, where, "\"seeds\" must be a list of 1 to {}", kMaxSeeds);
    for (const Json& seed : seeds) record.seeds.push_back(read_seed(seed, where));
    if (const Json* variation = reader.find("variation"))
        record.variation = read_variation(*variation, where);
    if (const Json* start = reader.find("start_image")) record.start_image = read_start_image(*start, where);
    if (const Json* shield = reader.find("shield")) record.shield = read_shield(*shield, where);
    record.settings = read_recorded_settings(settings, where);
    return record;
}

}  // namespace gass
