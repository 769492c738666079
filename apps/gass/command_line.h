#pragma once

#include "core/settings.h"

#include <CLI/CLI.hpp>

#include <array>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gass::cli {

/// How images are sampled, and on what: the settings that all commands share which make sets of them.
inline constexpr std::array<std::string_view, 16> kSamplingSettings{
    "sampling_method", "scheduler",      "clip_skip",  "max_sequence_length",
    "device",          "dtype",          "max_batch",  "threads",
    "max_vram",        "offload_to_cpu", "vae_tiling", "vae_slicing",
    "no_t5",           "variant",        "progress",   "log_level"};

/// What the parsed command line asks for. Each command adds its flags here and sets `action` when it is
/// chosen.
class CommandLine {
  public:
    explicit CommandLine(char** given) : arguments(given) {}

    /// As the program was started.
    char** arguments;
    /// Runs the chosen command; the result is the exit status.
    std::function<int()> action;

    /// Gives a command the flags of these settings, and --config, --preset and --print-config.
    void add_settings(CLI::App& command, std::initializer_list<std::string_view> keys,
                      std::span<const std::string_view> shared = {});

    /// Puts all layers together. Call once, when the command runs; the model's own defaults come in as the
    /// model is known.
    const Settings& resolve();
    /// The same with the settings of a picture, which win over the environment: what the command line says
    /// itself wins over them.
    const Settings& resolve_like(const Json& recorded, std::string_view origin);
    /// The same for a command that makes no images: no model is looked for.
    const Settings& resolve_without_model();
    /// For what others decided, a suite's model for instance: the same with their settings below all that the
    /// user says now, and without his own file, which must not change what they get.
    Settings resolve_over(const Json& object, std::string_view origin) const;

    /// Whether the user wrote this setting's flag.
    bool has_flag(std::string_view key) const { return flags_.contains(key); }
    /// Whether its flag or a file that the command line names sets it.
    bool says(std::string_view key) const;

    /// With --print-config: shows the resolved settings and returns true; the command then has nothing else
    /// to do.
    bool print_config() const;

  private:
    /// With what is said for this run: presets, file, variables and flags.
    Settings stated_over(Settings settings) const;
    struct NamedFile {
        SettingLayer layer;
        Json json;
        std::string origin;
    };
    /// What --preset and --config name, the stronger ones last; read once.
    const std::vector<NamedFile>& named_files() const;

    Settings settings_;
    std::map<std::string, std::string, std::less<>> flags_;  // as given, by key
    std::string config_file_;
    mutable std::optional<std::vector<NamedFile>> named_files_;  // once somebody asked
    std::vector<std::string> presets_;
    bool print_config_ = false;
    Json like_ = Json::object();  // settings of a picture
    std::string like_origin_;
};

/// What an option's value is called, "FILE" or "auto|cpu"; empty for a flag.
std::string value_name(const CLI::Option& option);

/// The command of that name below another one, or nullptr.
const CLI::App* find_command(const CLI::App& parent, const std::string& name);
/// The commands below another one, those that are not shown left out.
std::vector<std::string> command_names(const CLI::App& parent);

/// Adds a subcommand that runs `action` with what was parsed.
CLI::App* add_command(CLI::App& parent, CommandLine& line, std::string name, std::string description,
                      std::function<int()> action);

void add_generate_command(CLI::App& app, CommandLine& line);
void add_vary_command(CLI::App& app, CommandLine& line);
void add_compare_command(CLI::App& app, CommandLine& line);
void add_reproduce_command(CLI::App& app, CommandLine& line);
void add_calibrate_command(CLI::App& app, CommandLine& line);
void add_measure_command(CLI::App& app, CommandLine& line);
void add_features_command(CLI::App& app, CommandLine& line);
void add_cache_command(CLI::App& app, CommandLine& line);
void add_models_command(CLI::App& app, CommandLine& line);
void add_methods_command(CLI::App& app, CommandLine& line);
void add_explain_command(CLI::App& app, CommandLine& line);
void add_inspect_command(CLI::App& app, CommandLine& line);
void add_tokens_command(CLI::App& app, CommandLine& line);
void add_bench_command(CLI::App& app, CommandLine& line);
void add_eval_command(CLI::App& app, CommandLine& line);
void add_listing_commands(CLI::App& app, CommandLine& line);
void add_serve_command(CLI::App& app, CommandLine& line);
void add_help_command(CLI::App& app, CommandLine& line);
void add_completion_commands(CLI::App& app, CommandLine& line);
void add_manual_command(CLI::App& app, CommandLine& line);

}  // namespace gass::cli
