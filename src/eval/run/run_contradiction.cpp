#include "eval/run/run_contradiction.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/settings.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

namespace gass::eval {
namespace {

/// `what`: what the run has and this one has not.
[[noreturn]] void fail_for_another(const RememberedRun& run, const std::string& what) {
    fail(ErrorCode::usage, SettingKey("output"), "{} holds another run: {}; choose another folder",
         run.folder.string(), what);
}

/// What somebody says of a run, and what it has in its place.
std::string contradiction(const RememberedRun& run, const std::string& what) {
    return fmt::format("the run in {} {}, or begin another with `output`", run.folder.string(), what);
}

template <class Part>
std::vector<std::string> ids_of(const std::vector<Part>& parts) {
    std::vector<std::string> ids;
    for (const Part& part : parts) ids.push_back(part.id);
    return ids;
}

/// `kind`: "model". `setting`: that narrows a suite down to some of them, where the user says it.
template <class Part>
void check_parts(const RememberedRun& run, const std::vector<Part>& then, const Suite& suite,
                 const std::vector<Part>& now, const char* kind, std::optional<SettingKey> setting) {
    for (const Part& part : then) {
        if (std::ranges::find(now, part.id, &Part::id) != now.end()) continue;
        if (!setting)
            fail_for_another(run, fmt::format("{} has no {} {}", suite.name, kind, in_quotes(part.id)));
        fail(
            ErrorCode::usage, *setting, "{}",
            contradiction(run, fmt::format("has {}, and its report would lose {}: name all of them, and more "
                                           "if you like",
                                           fmt::join(ids_of(then), ","), part.id)));
    }
}

void check_prompts(const RememberedRun& run, const Suite& then, const Suite& now,
                   const SuiteOverrides& said) {
    for (std::size_t i = 0; i < std::min(then.prompts.size(), now.prompts.size()); ++i) {
        const SuitePrompt& before = then.prompts[i];
        if (before.text != now.prompts[i].text || before.name != now.prompts[i].name)
            fail_for_another(run, fmt::format("its prompt {} is {}, not {}", i + 1, in_quotes(before.text),
                                              in_quotes(now.prompts[i].text)));
    }
    if (now.prompts.size() >= then.prompts.size()) return;
    const std::string count =
        fmt::format("{} {}", then.prompts.size(), then.prompts.size() == 1 ? "prompt" : "prompts");
    if (said.limit == 0) fail_for_another(run, fmt::format("it has {}, not {}", count, now.prompts.size()));
    fail(ErrorCode::usage, SettingKey("limit"), "{}",
         contradiction(run, fmt::format("has {}: give it as many or more", count)));
}

/// The first member that differs; empty if none does.
std::string difference_of(const Json& then, const Json& now) {
    for (const auto* object : {&then, &now}) {
        for (const auto& [key, value] : object->items()) {
            if (then.value(key, Json()) != now.value(key, Json())) return key;
        }
    }
    return {};
}

std::string shown_value(const Json& object, std::string_view key) {
    const auto value = object.find(key);
    if (value == object.end()) return "none";
    return value->is_string() ? in_quotes(value->get<std::string>()) : value->dump();
}

/// One recipe of a run and what would come in its place.
struct ChangedRecipe {
    std::string model;
    std::string method;
    const Json& then;
    const Json& now;
};

[[noreturn]] void fail_for_setting(const RememberedRun& run, const ChangedRecipe& recipe,
                                   const std::string& key, const std::string& origin) {
    const Json& then = recipe.then["settings"];
    const Json& now = recipe.now.at("settings");
    if (key == "method")
        fail_for_another(run, fmt::format("its method {} is {} on {}, not {}", recipe.method,
                                          shown_value(then, key), recipe.model, shown_value(now, key)));
    const std::string what = contradiction(
        run, key == "guide" ? fmt::format("saw {} by a guide of other weights: name that", recipe.model)
                            : fmt::format("was made with `{}` {} on {}, not {}: leave that as it is", key,
                                          shown_value(then, key), recipe.model, shown_value(now, key)));
    const SettingSpec* spec = find_setting(key);
    if (spec != nullptr && origin == spec->flags) fail(ErrorCode::usage, SettingKey(key), "{}", what);
    fail(ErrorCode::usage, origin, "{}", what);
}

[[noreturn]] void fail_for_difference(const RememberedRun& run, const ChangedRecipe& recipe,
                                      const std::function<std::string(std::string_view)>& origin_of) {
    const std::string key = difference_of(recipe.then, recipe.now);
    if (key == "gass")
        fail_for_another(run, fmt::format("it was made by gass {}, and gass {} makes other images",
                                          shown_value(recipe.then, key), shown_value(recipe.now, key)));
    if (key == "fingerprint")
        fail_for_another(run, fmt::format("its model {} has other weights", recipe.model));
    if (key != "settings") fail_for_another(run, fmt::format("its {} is another", key));
    const std::string setting = difference_of(recipe.then["settings"], recipe.now.at("settings"));
    fail_for_setting(run, recipe, setting, origin_of(setting));
}

}  // namespace

void check_knows_names(const RememberedRun& run, const Json& document, const std::string& suite) {
    const auto check = [&](const char* kind, const char* key, std::string_view name) {
        const auto parts = document.find(key);
        if (parts == document.end() || !parts->is_object() || !parts->contains(name))
            fail_for_another(run, fmt::format("{} has no {} {}", suite, kind, in_quotes(name)));
    };
    for (const std::string& id : run.overrides.only_models) check("model", "models", id);
    for (const std::string& id : run.overrides.only_methods) check("method", "methods", id);
    for (const std::string& model : run.overrides.models)
        check("model", "models", std::string_view(model).substr(0, model.find('=')));
}

void check_has_all(const RememberedRun& run, const Suite& then, const Suite& now,
                   const SuiteOverrides& said) {
    const auto if_said = [](const std::vector<std::string>& ids, const char* setting) {
        return ids.empty() ? std::nullopt : std::optional(SettingKey(setting));
    };
    check_parts(run, then.models, now, now.models, "model", if_said(said.only_models, "only_models"));
    check_parts(run, then.methods, now, now.methods, "method", if_said(said.only_methods, "only_methods"));
    check_prompts(run, then, now, said);
    if (then.seed != now.seed)
        fail_for_another(run, fmt::format("its seed is {}, not {}", then.seed, now.seed));
    if (now.groups < then.groups)
        fail_for_another(run,
                         fmt::format("it has {} groups of each prompt, not {}", then.groups, now.groups));
}

void check_recipes(const RememberedRun& run, const Suite& suite,
                   const std::vector<std::vector<Recipe>>& recipes, const OriginOf& origin_of) {
    for (std::size_t m = 0; m < suite.models.size(); ++m) {
        const std::string& model = suite.models[m].id;
        for (std::size_t k = 0; k < suite.methods.size(); ++k) {
            const std::string& method = suite.methods[k].id;
            if (!run.recipes.contains(model) || !run.recipes[model].contains(method)) continue;
            const Json& then = run.recipes[model][method];
            const Json& now = recipes[m][k].identity;
            if (then == now) continue;
            fail_for_difference(run, {model, method, then, now},
                                [&](std::string_view setting) { return origin_of(m, setting); });
        }
    }
}

}  // namespace gass::eval
