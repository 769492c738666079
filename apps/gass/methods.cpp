#include "engine.h"
#include "output.h"
#include "record/method_description_json.h"

#include <gass/methods.h>

#include <fmt/ranges.h>

namespace gass::cli {
namespace {

/// "0 to 1", "gass, ip, rd" or "on, off"
std::string values_of(const ParameterDescription& parameter) {
    switch (parameter.type) {
        case ParameterDescription::Type::choice:
            return fmt::format("{}", fmt::join(parameter.choices, ", "));
        case ParameterDescription::Type::boolean:
            return "on, off";
        case ParameterDescription::Type::number:
        case ParameterDescription::Type::integer:
            return fmt::format("{} to {}", parameter.minimum, parameter.maximum);
    }
    return "";
}

std::string default_of(const ParameterDescription& parameter) {
    if (const bool* is_on = std::get_if<bool>(&parameter.initial)) return *is_on ? "on" : "off";
    const Json json = to_json(parameter).at("default");
    return json.is_string() ? json.get<std::string>() : json.dump();
}

std::string described(const MethodDescription& method) {
    std::string out =
        fmt::format("{}: {}\n  {}\n  {}\n", method.name, method.help, method.verdict, method.paper);
    if (method.parameters.empty()) return out;
    out += "\n";
    Table table({"parameter", "default", "values", "what it does"});
    for (const ParameterDescription& parameter : method.parameters)
        table.add({parameter.name, default_of(parameter), values_of(parameter), parameter.help});
    return out + table.text();
}

}  // namespace

int show_methods(const CommandLine&, const MethodsOptions& options) {
    const std::vector<MethodDescription> described_methods =
        options.name.empty() ? methods() : std::vector{method(options.name)};
    if (options.json) {
        Json json = Json::array();
        for (const MethodDescription& method : described_methods) json.push_back(to_json(method));
        write_json("methods/1", {{"methods", std::move(json)}});
        return 0;
    }
    std::string out;
    for (const MethodDescription& method : described_methods)
        out += (out.empty() ? "" : "\n") + described(method);
    out +=
        "\nA method is chosen by --method NAME, or with parameters by --method NAME:KEY=VALUE,KEY=VALUE.\n"
        "NAME+NAME combines methods; they act from left to right.\n";
    write_stdout(out);
    return 0;
}

}  // namespace gass::cli
