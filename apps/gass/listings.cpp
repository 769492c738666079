#include "listings.h"

#include "command_line.h"
#include "eval/suite/known_suites.h"
#include "output.h"
#include "presets.h"

#include <memory>
#include <string>

namespace gass::cli {
namespace {

/// "steps=28 cfg_scale=7.0"
std::string settings_text(const Json& settings) {
    std::string text;
    for (const auto& [key, value] : settings.items()) {
        text += text.empty() ? "" : " ";
        text += key + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
    }
    return text;
}

int show_presets(bool as_json) {
    Json json = Json::array();
    Table table({"preset", "what", "settings"});
    for (const Preset& preset : list_presets()) {
        json.push_back({{"name", preset.name},
                        {"description", preset.description},
                        {"settings", preset.settings},
                        {"file", preset.file.string()}});
        table.add({preset.name, preset.description, settings_text(preset.settings)});
    }
    if (as_json)
        write_json("presets/1", {{"presets", std::move(json)}});
    else
        write_stdout(table.text());
    return 0;
}

/// A command that lists something, as JSON too.
void add_listing(CLI::App& app, CommandLine& line, const char* name, const char* description,
                 int (*show)(bool as_json)) {
    const auto json = std::make_shared<bool>(false);
    CLI::App* command = add_command(app, line, name, description, [json, show] { return show(*json); });
    command->add_flag("--json", *json, "print JSON");
}

}  // namespace

int show_suites(bool as_json) {
    Json json = Json::array();
    Table table({"suite", "what"});
    for (const eval::KnownSuite& suite : eval::list_suites()) {
        json.push_back({{"name", suite.name},
                        {"title", suite.title},
                        {"description", suite.description},
                        {"file", suite.file.string()}});
        table.add({suite.name, suite.title});
    }
    if (as_json)
        write_json("suites/1", {{"suites", std::move(json)}});
    else
        write_stdout(table.text());
    return 0;
}

void add_listing_commands(CLI::App& app, CommandLine& line) {
    add_listing(app, line, "presets", "The named settings that come with gass, for --preset", show_presets);
    add_listing(app, line, "suites", "The evaluations that come with gass, for gass eval", show_suites);
}

}  // namespace gass::cli
