#include "eval/run/remembered_run.h"

#include "core/fail.h"
#include "core/settings.h"
#include "eval/run/run_contradiction.h"
#include "eval/run/store.h"
#include "eval/suite/known_suites.h"
#include "eval/suite/suite_document.h"
#include "io/model_lookup.h"

#include <algorithm>
#include <cassert>
#include <system_error>
#include <utility>

namespace gass::eval {
namespace {

namespace fs = std::filesystem;

std::string_view id_of(std::string_view placed_model) {
    return placed_model.substr(0, placed_model.find('='));
}

/// A folder, wherever gass is started next; models that have a name keep it.
std::string lasting_place(const std::string& model) {
    std::error_code error;
    if (!fs::is_directory(model, error) || find_model(model).source != ModelSource::folder) return model;
    return fs::absolute(model).lexically_normal().string();
}

std::string lasting_folder(const std::string& folder) {
    return fs::absolute(folder).lexically_normal().string();
}

Json overrides_json(const SuiteOverrides& overrides) {
    return {{"limit", overrides.limit},
            {"reference", overrides.reference},
            {"models", overrides.models},
            {"only_models", overrides.only_models},
            {"only_methods", overrides.only_methods}};
}

SuiteOverrides read_overrides(const Json& json, const std::string& where) {
    constexpr std::int64_t kMost = 1'000'000;
    JsonReader reader(json, where);
    return {.limit = static_cast<std::size_t>(reader.integer("limit", std::nullopt, 0, kMost)),
            .reference = reader.text("reference"),
            .models = reader.texts("models"),
            .only_models = reader.texts("only_models"),
            .only_methods = reader.texts("only_methods")};
}

/// {key: {…}, …}
const Json& read_objects(JsonReader& reader, std::string_view key) {
    const Json& objects = reader.at(key);
    const bool is_sound =
        objects.is_object() && std::ranges::all_of(objects, [](const Json& one) { return one.is_object(); });
    if (!is_sound) fail(ErrorCode::model_invalid, reader.where(), "\"{}\" is no object of objects", key);
    return objects;
}

const Json& read_recipes(JsonReader& reader) {
    const Json& recipes = read_objects(reader, "recipes");
    for (const Json& methods : recipes) {
        for (const Json& identity : methods) {
            if (!identity.is_object() || !identity.contains("settings") || !identity["settings"].is_object())
                fail(ErrorCode::model_invalid, reader.where(), "\"recipes\" has one without settings");
        }
    }
    return recipes;
}

SuiteOverrides completed(SuiteOverrides overrides, const SuiteOverrides& run) {
    if (overrides.limit == 0) overrides.limit = run.limit;
    if (overrides.reference.empty()) overrides.reference = run.reference;
    if (overrides.only_models.empty()) overrides.only_models = run.only_models;
    if (overrides.only_methods.empty()) overrides.only_methods = run.only_methods;
    const std::vector<std::string> said = overrides.models;
    for (const std::string& model : run.models) {
        const bool is_said =
            std::ranges::any_of(said, [&](const auto& one) { return id_of(one) == id_of(model); });
        if (!is_said) overrides.models.push_back(model);
    }
    return overrides;
}

/// Of all prompts of a suite, as suites have them. `prompts`: what they were read by.
Json list_of_all(const Suite& suite, const Json& prompts) {
    Json list = Json::array();
    for (const auto* part : {&suite.prompts, &suite.further_prompts}) {
        for (const SuitePrompt& prompt : *part) {
            Json entry{{"prompt", prompt.text}};
            if (prompt.name != prompt.text) entry["class"] = prompt.name;
            list.push_back(std::move(entry));
        }
    }
    Json result{{"list", std::move(list)}};
    if (prompts.contains("limit")) result["limit"] = prompts["limit"];
    return result;
}

/// What the run's suite said; it has been read before.
Json settings_said(const RememberedRun& run, const std::string& model) {
    Json settings = run.document.value("settings", Json::object());
    settings.update(run.document["models"][model]["settings"]);
    return settings;
}

}  // namespace

Json to_json(const RememberedRun& run) {
    Json json{{"suite", run.suite},
              {"document", run.document},
              {"overrides", overrides_json(run.overrides)},
              {"settings", run.settings},
              {"recipes", run.recipes}};
    if (!run.prompts.is_null()) json["prompts"] = run.prompts;
    return json;
}

RememberedRun read_remembered_run(const Json& json, const fs::path& folder) {
    const std::string where = (folder / Store::kFile).string();
    JsonReader reader(json, where);
    RememberedRun run{.folder = folder,
                      .suite = reader.text("suite"),
                      .document = reader.at("document"),
                      .overrides = read_overrides(reader.at("overrides"), where),
                      .settings = read_objects(reader, "settings"),
                      .recipes = read_recipes(reader)};
    if (const Json* prompts = reader.find("prompts")) run.prompts = *prompts;
    for (const Json& settings : run.settings)
        Settings().set_object(SettingLayer::config, settings, where, ErrorCode::model_invalid);
    if (!run.document.is_object())
        fail(ErrorCode::model_invalid, where, "the suite of the run is no JSON object");
    return run;
}

Suite suite_of(const RememberedRun& run, const std::string& reference) {
    Json document = run.document;
    if (!run.prompts.is_null()) document["prompts"] = run.prompts;
    SuiteOverrides overrides = run.overrides;
    if (!reference.empty()) overrides.reference = reference;
    return read_suite(document, {run.suite, run.folder, (run.folder / Store::kFile).string()}, overrides);
}

RequestedSuite requested_suite(const std::string& name, const SuiteOverrides& overrides,
                               const RememberedRun* run) {
    RequestedSuite requested{.overrides = run == nullptr ? overrides : completed(overrides, run->overrides)};
    SuiteSource source;
    if (!name.empty()) {
        const fs::path file = find_suite(name);
        requested.document = read_suite_document(file);
        source = suite_source(file);
        if (run != nullptr) check_knows_names(*run, requested.document, source.name);
    } else {
        assert(run != nullptr);
        requested.document = run->document;
        source = {run->suite, run->folder, (run->folder / Store::kFile).string()};
    }
    if (run != nullptr && overrides.prompt_file.empty()) requested.prompts = run->prompts;
    Json document = requested.document;
    if (!requested.prompts.is_null()) document["prompts"] = requested.prompts;
    requested.suite = read_suite(document, source, requested.overrides);
    if (run != nullptr) check_has_all(*run, suite_of(*run, overrides.reference), requested.suite, overrides);
    return requested;
}

Json settings_below(const Suite& suite, std::size_t model, const RememberedRun* run) {
    const std::string& id = suite.models[model].id;
    Json settings = suite.settings;
    settings.update(suite.models[model].settings);
    if (run == nullptr || !run->settings.contains(id) || !run->document["models"].contains(id))
        return settings;
    const Json before = settings_said(*run, id);
    for (const auto& [key, value] : run->settings[id].items()) {
        if (before.value(key, Json()) == settings.value(key, Json())) settings[key] = value;
    }
    return settings;
}

RememberedRun remembered_run(const RequestedSuite& requested, const std::vector<Json>& settings,
                             const std::vector<std::vector<Recipe>>& recipes) {
    const Suite& suite = requested.suite;
    RememberedRun run{.suite = suite.name, .document = requested.document, .overrides = requested.overrides};
    const bool has_others = !requested.prompts.is_null() || !run.overrides.prompt_file.empty();
    Json& own_prompts = run.document["prompts"];
    (has_others ? run.prompts : own_prompts) = list_of_all(suite, own_prompts);
    run.overrides.prompt_file.clear();
    if (!run.overrides.reference.empty()) {
        run.overrides.reference = lasting_folder(run.overrides.reference);
    } else if (!suite.reference.images.empty()) {
        run.document["reference"]["images"] = lasting_folder(suite.reference.images);
    }
    for (std::string& model : run.overrides.models) {
        const std::size_t begin = model.find('=') + 1;
        model.replace(begin, std::string::npos, lasting_place(model.substr(begin)));
    }
    for (Json& model : run.document["models"]) {
        Json& place = model["settings"]["model"];
        place = lasting_place(place.get<std::string>());
    }
    for (std::size_t m = 0; m < suite.models.size(); ++m) {
        run.settings[suite.models[m].id] = settings[m];
        Json& methods = run.recipes[suite.models[m].id] = Json::object();
        for (std::size_t k = 0; k < suite.methods.size(); ++k)
            methods[suite.methods[k].id] = recipes[m][k].identity;
    }
    return run;
}

}  // namespace gass::eval
