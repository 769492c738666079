#include "engine.h"
#include "guidance/registry.h"
#include "output.h"

#include <fmt/ranges.h>

namespace gass::cli {
namespace {

/// "0 to 1", "gass, ip, rd" or "on, off"
std::string values_of(const Json& knob) {
    if (knob.contains("choices"))
        return fmt::format("{}", fmt::join(knob.at("choices").get<std::vector<std::string>>(), ", "));
    if (knob.at("type") == "boolean") return "on, off";
    return fmt::format("{} to {}", knob.at("minimum").get<double>(), knob.at("maximum").get<double>());
}

std::string default_of(const Json& knob) {
    const Json& value = knob.at("default");
    if (value.is_boolean()) return value.get<bool>() ? "on" : "off";
    return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string described(const Json& method) {
    std::string out = fmt::format("{}: {}\n  {}\n  {}\n", method.at("name").get<std::string>(),
                                  method.at("help").get<std::string>(), method.at("says").get<std::string>(),
                                  method.at("paper").get<std::string>());
    if (method.at("parameters").empty()) return out;
    out += "\n";
    Table table({"parameter", "default", "values", "what it does"});
    for (const Json& knob : method.at("parameters"))
        table.add({knob.at("name").get<std::string>(), default_of(knob), values_of(knob),
                   knob.at("help").get<std::string>()});
    return out + table.text();
}

}  // namespace

int show_methods(const CommandLine&, const MethodsOptions& options) {
    const Json methods = describe_methods(options.name);
    if (options.json) {
        write_stdout(shown(Json{{"methods", methods}}));
        return 0;
    }
    std::string out;
    for (const Json& method : methods) out += (out.empty() ? "" : "\n") + described(method);
    out +=
        "\nA method is chosen by --method NAME, or with parameters by --method NAME:KEY=VALUE,KEY=VALUE.\n"
        "NAME+NAME combines methods; they act from left to right.\n";
    write_stdout(out);
    return 0;
}

}  // namespace gass::cli
