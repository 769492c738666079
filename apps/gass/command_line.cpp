#include "command_line.h"

#include "catalog/model.h"
#include "core/fail.h"
#include "core/log.h"
#include "core/quote.h"
#include "io/file.h"
#include "io/model_lookup.h"
#include "output.h"

#include <filesystem>
#include <utility>

namespace gass::cli {
namespace {

namespace fs = std::filesystem;

/// Reads a file of settings; a mistake in it is the user's, not a broken model's.
Json read_settings_file(const fs::path& path) {
    try {
        return parse_json(read_text_file(path), path.string());
    } catch (const Error& error) {
        throw Error(ErrorCode::usage, error.where(), error.message());
    }
}

/// A preset by name, from the ones that come with gass, or by path.
fs::path find_preset(const std::string& name) {
    if (name.find('/') != std::string::npos || name.ends_with(".json")) return name;
    const fs::path folder = data_folder() / "presets";
    fs::path path = folder / (name + ".json");
    std::error_code error;
    if (fs::exists(path, error)) return path;
    fail(ErrorCode::usage, "--preset", "no preset {}; there are {}", in_quotes(name),
         fmt::join(preset_names(), ", "));
}

}  // namespace

std::string value_name(const CLI::Option& option) {
    if (option.get_items_expected_max() == 0 || option.get_type_size() == 0) return {};
    const std::string type = option.get_type_name();
    return type.substr(0, type.find(':'));  // CLI11 puts the checks behind it
}

std::vector<std::string> preset_names() {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(data_folder() / "presets", error))
        names.push_back(entry.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

void CommandLine::add_settings(CLI::App& command, std::initializer_list<std::string_view> keys,
                               std::span<const std::string_view> shared) {
    std::vector<std::string_view> all(keys);
    all.insert(all.end(), shared.begin(), shared.end());
    for (const std::string_view key : all) {
        const SettingSpec& spec = *find_setting(key);
        std::string help = fmt::format("{} ({})", spec.help, environment_name(spec));
        if (spec.type == SettingType::boolean) {
            command.add_flag_callback(
                std::string(spec.flags), [this, key] { flags_.insert_or_assign(std::string(key), "true"); },
                help);
            continue;
        }
        command
            .add_option_function<std::string>(
                std::string(spec.flags),
                [this, key](const std::string& text) { flags_.insert_or_assign(std::string(key), text); },
                help)
            ->type_name(spec.type == SettingType::text ? "TEXT"
                        : spec.choices.empty()         ? "NUMBER"
                                                       : std::string(spec.choices))
            ->default_str(std::string(spec.built_in));
    }
    command.add_option("--config", config_file_, "JSON file with settings")->type_name("FILE");
    command
        .add_option(
            "--preset", presets_,
            "named settings that come with gass, or a JSON file; where it is repeated, later ones win")
        ->type_name("NAME")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command.add_flag("--print-config", print_config_, "show the settings that result, and stop");
}

const Settings& CommandLine::resolve() {
    settings_ = resolve_over(Json::object(), "");
    return settings_;
}

const Settings& CommandLine::resolve_like(const Json& recorded, std::string_view origin) {
    like_ = recorded;
    like_origin_ = origin;
    return resolve();
}

Settings CommandLine::resolve_over(const Json& object, std::string_view origin) const {
    Settings settings;
    settings.set_object(SettingLayer::preset, object, origin);
    for (const std::string& preset : presets_) {
        const fs::path path = find_preset(preset);
        settings.set_object(SettingLayer::preset, read_settings_file(path), "preset " + path.string());
    }
    if (!config_file_.empty()) {
        settings.set_object(SettingLayer::config, read_settings_file(config_file_), config_file_);
    }
    settings.set_environment();
    settings.set_object(SettingLayer::picture, like_, like_origin_, ErrorCode::model_invalid);
    for (const auto& [key, text] : flags_) {
        const SettingSpec& spec = *find_setting(key);
        settings.set_text(SettingLayer::flag, spec, text, spec.flags);
    }
    log::set_level(settings.text("log_level"));

    const ModelFolder folder(find_model(settings.text("model")).path);
    settings.set_object(SettingLayer::model, read_model_defaults(folder).settings, folder.shown("gass.json"),
                        ErrorCode::model_invalid);
    return settings;
}

bool CommandLine::print_config() const {
    if (!print_config_) return false;
    Table table({"setting", "value", "from"});
    for (const SettingSpec& spec : setting_specs()) {
        if (settings_.find(spec.key) == nullptr) continue;
        table.add({std::string(spec.key), settings_.text(spec.key), settings_.origin(spec.key)});
    }
    // The result itself is JSON that --config reads back; where each value came from is for people.
    write_stderr(table.text());
    write_stdout(shown(settings_.resolved()));
    return true;
}

CLI::App* add_command(CLI::App& parent, CommandLine& line, std::string name, std::string description,
                      std::function<int()> action) {
    CLI::App* command = parent.add_subcommand(std::move(name), std::move(description));
    command->footer("");  // the program's own footer is for its own help
    command->callback([&line, run = std::move(action)] { line.action = run; });
    return command;
}

}  // namespace gass::cli
