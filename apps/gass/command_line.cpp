#include "command_line.h"

#include "catalog/model.h"
#include "core/log.h"
#include "io/model_lookup.h"
#include "output.h"
#include "presets.h"

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>

namespace gass::cli {
namespace {

namespace fs = std::filesystem;

/// The user's own settings, if there are any: the file that GASS_USER_CONFIG names (none if that is empty),
/// or gass/config.json where people keep such files.
std::optional<fs::path> user_config_file() {
    if (const char* given = std::getenv("GASS_USER_CONFIG"))
        return *given == '\0' ? std::nullopt : std::optional<fs::path>(given);
    const char* const folder = std::getenv("XDG_CONFIG_HOME");
    const char* const home = std::getenv("HOME");
    fs::path path;
    if (folder != nullptr && fs::path(folder).is_absolute())  // the specification ignores others
        path = folder;
    else if (home != nullptr && *home != '\0')
        path = fs::path(home) / ".config";
    std::error_code error;
    path = path / "gass" / "config.json";
    return path.is_absolute() && fs::exists(path, error) ? std::optional(path) : std::nullopt;
}

void add_user_config(Settings& settings) {
    if (const std::optional<fs::path> file = user_config_file())
        settings.set_object(SettingLayer::user, read_preset(*file).settings, file->string());
}

void add_model_defaults(Settings& settings) {
    const ModelFolder folder(find_model(settings.text("model")).path);
    settings.set_object(SettingLayer::model, read_model_defaults(folder).settings, folder.shown("gass.json"),
                        ErrorCode::model_invalid);
}

}  // namespace

std::string value_name(const CLI::Option& option) {
    if (option.get_items_expected_max() == 0 || option.get_type_size() == 0) return {};
    const std::string type = option.get_type_name();
    return type.substr(0, type.find(':'));  // CLI11 puts the checks behind it
}

const CLI::App* find_command(const CLI::App& parent, const std::string& name) {
    for (const CLI::App* command : parent.get_subcommands({})) {
        if (command->check_name(name)) return command;
    }
    return nullptr;
}

std::vector<std::string> command_names(const CLI::App& parent) {
    std::vector<std::string> names;
    for (const CLI::App* command : parent.get_subcommands({})) {
        if (!command->get_group().empty()) names.push_back(command->get_name());
    }
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
        .add_option("--preset", presets_,
                    "named settings that come with gass (gass presets), or a JSON file; later ones win over "
                    "earlier ones")
        ->type_name("NAME")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command.add_flag("--print-config", print_config_,
                     "show the resulting settings and where each comes from, and stop");
}

const Settings& CommandLine::resolve() {
    resolve_without_model();
    add_model_defaults(settings_);
    return settings_;
}

const Settings& CommandLine::resolve_without_model() {
    Settings below;
    add_user_config(below);
    settings_ = stated_over(std::move(below));
    return settings_;
}

const Settings& CommandLine::resolve_like(const Json& recorded, std::string_view origin) {
    like_ = recorded;
    like_origin_ = origin;
    return resolve();
}

const std::vector<CommandLine::NamedFile>& CommandLine::named_files() const {
    if (named_files_) return *named_files_;
    std::vector<NamedFile> files;
    for (const std::string& name : presets_) {
        const Preset preset = find_preset(name);
        files.push_back({SettingLayer::preset, preset.settings, "preset " + preset.file.string()});
    }
    if (!config_file_.empty())
        files.push_back({SettingLayer::config, read_preset(config_file_).settings, config_file_});
    return named_files_.emplace(std::move(files));
}

bool CommandLine::says(std::string_view key) const {
    return flags_.contains(key) ||
           std::ranges::any_of(named_files(), [&](const NamedFile& file) { return file.json.contains(key); });
}

Settings CommandLine::resolve_over(const Json& object, std::string_view origin) const {
    Settings settings;
    settings.set_object(SettingLayer::preset, object, origin);
    settings = stated_over(std::move(settings));
    add_model_defaults(settings);
    return settings;
}

Settings CommandLine::stated_over(Settings settings) const {
    settings.set_object(SettingLayer::picture, like_, like_origin_, ErrorCode::model_invalid);
    for (const NamedFile& file : named_files()) {
        // What the command line names wins over a picture that it names, too.
        settings.set_object(like_.empty() ? file.layer : SettingLayer::picture, file.json, file.origin);
    }
    settings.set_environment();
    for (const auto& [key, text] : flags_) {
        const SettingSpec& spec = *find_setting(key);
        settings.set_text(SettingLayer::flag, spec, text, spec.flags);
    }
    log::set_level(settings.text("log_level"));
    static std::once_flag warned;  // an evaluation comes here for each of its models
    std::call_once(warned, warn_of_unknown_variables);
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
