#include "core/settings.h"
#include "core/text.h"
#include "engine/request.h"
#include "measure/metric/metric.h"
#include "server/app.h"
#include "server/openapi_file.h"

#include <gass/methods.h>
#include <gass/version.h>

#include <cmath>
#include <limits>

namespace gass::server {
namespace {

using Type = ParameterDescription::Type;

std::string_view kind_of(Type type) {
    switch (type) {
        case Type::number:
            return "number";
        case Type::integer:
            return "integer";
        case Type::boolean:
            return "flag";
        case Type::choice:
            return "choice";
    }
    return "";
}

std::string_view kind_of(SettingType type) {
    switch (type) {
        case SettingType::text:
            return "text";
        case SettingType::integer:
            return "integer";
        case SettingType::number:
            return "number";
        case SettingType::boolean:
            return "flag";
        case SettingType::choice:
            return "choice";
    }
    return "";
}

/// Whole numbers as such.
Json range_end(double value, bool is_whole) {
    if (!std::isfinite(value)) return nullptr;
    return is_whole ? Json(static_cast<std::int64_t>(value)) : Json(value);
}

Json parameter_json(const ParameterDescription& parameter) {
    const bool is_number = parameter.type == Type::number || parameter.type == Type::integer;
    const bool is_whole = parameter.type == Type::integer;
    Json json{{"name", parameter.name}, {"kind", kind_of(parameter.type)}};
    std::visit([&](const auto& value) { json["default"] = value; }, parameter.initial);
    json["minimum"] = is_number ? range_end(parameter.minimum, is_whole) : Json();
    json["maximum"] = is_number ? range_end(parameter.maximum, is_whole) : Json();
    json["choices"] = parameter.choices;
    json["help"] = parameter.help;
    return json;
}

Json methods_json() {
    const Request with_axes{.prompt = "", .vary = "a|b"};
    Json list = Json::array();
    for (const MethodDescription& method : methods()) {
        Json parameters = Json::array();
        bool has_dial = false;
        for (const ParameterDescription& parameter : method.parameters) {
            parameters.push_back(parameter_json(parameter));
            has_dial |= parameter.name == "strength";
        }
        list.push_back({{"name", method.name},
                        {"summary", method.help},
                        {"remark", method.verdict},
                        {"has_dial", has_dial},
                        {"takes_axes", with_method(with_axes, method.name).vary.has_value()},
                        {"parameters", std::move(parameters)}});
    }
    return list;
}

Json models_json(const App& app) {
    Json list = Json::array();
    for (const ModelCard& card : app.models.cards())
        list.push_back(
            to_json(card, app.models.is_loaded(card.name), card.name == app.models.default_name()));
    return list;
}

Json settings_json() {
    Json list = Json::array();
    Request request;
    visit_request(request, [&](std::string_view key, const auto&) {
        if (key == "shield" || key == "max_batch") return;  // not from outside
        const SettingSpec& spec = *find_setting(key);
        const bool is_whole = spec.type == SettingType::integer;
        Json choices = Json::array();
        if (!spec.choices.empty()) {
            for (const std::string_view choice : split(spec.choices, '|')) choices.push_back(choice);
        }
        Json initial = spec.built_in.empty() ? Json() : Json(spec.built_in);
        if (is_whole && !spec.built_in.empty())
            initial = parse_number<std::int64_t>(spec.built_in).value_or(0);
        list.push_back({{"name", key},
                        {"kind", kind_of(spec.type)},
                        {"minimum", range_end(spec.minimum, is_whole)},
                        {"maximum", range_end(spec.maximum, is_whole)},
                        {"multiple_of", spec.multiple_of},
                        {"choices", std::move(choices)},
                        {"default", std::move(initial)},
                        {"help", spec.help}});
    });
    return list;
}

Json names_of(std::string_view setting) {
    Json names = Json::array();
    for (const std::string_view choice : split(find_setting(setting)->choices, '|')) names.push_back(choice);
    return names;
}

Json capabilities_json(const App& app) {
    const RequestLimits& limits = app.options.limits;
    Json metrics = Json::array();
    for (const MetricSpec& spec : metric_specs()) metrics.push_back(spec.name);
    return {{"version", version()},
            {"schema", 1},
            {"models", models_json(app)},
            {"default_model", app.models.default_name()},
            {"methods", methods_json()},
            {"samplers", names_of("sampling_method")},
            {"schedules", names_of("scheduler")},
            {"limits",
             {{"images", limits.images},
              {"width", limits.side},
              {"height", limits.side},
              {"steps", limits.steps},
              {"compared", limits.compared},
              {"body_bytes", limits.body_bytes},
              {"upload_bytes", limits.upload_bytes},
              {"prompt_bytes", kMaxPromptBytes},
              {"queue", app.options.queue}}},
            {"settings", settings_json()},
            {"metrics", std::move(metrics)}};
}

}  // namespace

void add_about_routes(Router& router, const App& app) {
    const auto get = [&](std::string pattern, CallHandler handler, bool is_open) {
        router.add({.method = "GET",
                    .pattern = std::move(pattern),
                    .handler = std::move(handler),
                    .is_open = is_open,
                    .is_quick = true});
    };
    get(
        "/health",
        [&app](const std::shared_ptr<Call>& call) {
            if (app.is_loading()) return call->json(503, {{"status", "loading"}});
            call->json(200, {{"status", "ok"}, {"version", version()}});
        },
        true);
    get(
        "/metrics",
        [&app](const std::shared_ptr<Call>& call) {
            call->answer({.type = "text/plain; version=0.0.4; charset=utf-8",
                          .body = app.numbers.text(app.standing())});
        },
        false);
    get(
        "/api/v1/openapi.json",
        [](const std::shared_ptr<Call>& call) { call->answer({.body = std::string(openapi_file())}); }, true);
    get(
        "/api/v1/capabilities",
        [&app](const std::shared_ptr<Call>& call) { call->json(200, capabilities_json(app)); }, false);
    get(
        "/api/v1/models",
        [&app](const std::shared_ptr<Call>& call) {
            call->json(200, {{"models", models_json(app)}});
        },
        false);
    get(
        "/api/v1/methods",
        [](const std::shared_ptr<Call>& call) {
            call->json(200, {{"methods", methods_json()}});
        },
        false);
}

}  // namespace gass::server
