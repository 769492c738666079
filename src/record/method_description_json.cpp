#include "record/method_description_json.h"

namespace gass {

Json to_json(const ParameterDescription& parameter) {
    using Type = ParameterDescription::Type;
    constexpr const char* kTypes[] = {"number", "integer", "boolean", "choice"};
    Json json{{"name", parameter.name}, {"type", kTypes[static_cast<std::size_t>(parameter.type)]}};
    std::visit([&](const auto& value) { json["default"] = value; }, parameter.initial);
    if (parameter.type == Type::integer) {
        json["minimum"] = static_cast<std::int64_t>(parameter.minimum);
        json["maximum"] = static_cast<std::int64_t>(parameter.maximum);
    } else if (parameter.type == Type::number) {
        json["minimum"] = parameter.minimum;
        json["maximum"] = parameter.maximum;
    } else if (parameter.type == Type::choice) {
        json["choices"] = parameter.choices;
    }
    json["help"] = parameter.help;
    return json;
}

Json to_json(const MethodDescription& method) {
    Json parameters = Json::array();
    for (const ParameterDescription& parameter : method.parameters) parameters.push_back(to_json(parameter));
    return {{"name", method.name},
            {"help", method.help},
            {"says", method.verdict},
            {"paper", method.paper},
            {"parameters", std::move(parameters)}};
}

}  // namespace gass
