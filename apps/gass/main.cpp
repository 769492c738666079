#include "command_line.h"
#include "core/fail.h"
#include "core/log.h"
#include "core/quote.h"
#include "core/wording.h"
#include "engine.h"
#include "flag_names.h"
#include "output.h"
#include "start_up.h"

#include <gass/version.h>

#include <fmt/ranges.h>

#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr const char* kAbout =
    "gass makes sets of images from one prompt that truly differ from each other and still match the "
    "prompt.\n"
    "Models in the diffusers layout run as they are; three small ones come with it.";

constexpr const char* kStart =
    "\nStart here:\n"
    "  gass generate -p \"a red car\" -n 8     eight pictures and a contact sheet\n"
    "  gass compare -p \"a red car\" -n 8      the same seeds under each method, and a page about it\n"
    "  gass vary cars/0002.png -n 8          variations of the picture that you like best\n"
    "  gass measure cars/ -p \"a red car\"     how far a folder's images differ, and match a prompt\n"
    "  gass eval mini-small                  models and methods over many prompts: tables with intervals\n"
    "  gass serve                            a page to make sets on, and an API, at http://127.0.0.1:7860\n"
    "  gass models list                      the models that are here\n"
    "  gass methods                          the ways to make a set differ; also gass presets, gass suites\n";

constexpr const char* kRest =
    "  gass models inspect mini-flow         what a model consists of\n"
    "  gass tokens -p \"a red car\"            how the text encoders read a prompt\n"
    "  gass COMMAND --help                   the flags of a command\n"
    "\nSettings: flags win over GASS_* variables, these over --config FILE, over --preset NAME, over your "
    "own\n"
    "~/.config/gass/config.json, over the model's gass.json.\n"
    "Exit status: 0 done, 1 failure, 2 wrong usage or settings, 3 model or file missing or damaged, 4 out of "
    "memory or\n"
    "no device, 5 partial result, 6 a check failed, 130 interrupted.";

/// What `gass` alone says.
int show_overview() {
    gass::cli::write_stdout(std::string(kAbout) + "\n" + kStart +
                            "\ngass help lists all commands, gass help COMMAND the flags of one.\n");
    return 0;
}

/// The flags of a command, "--steps" among them.
std::vector<std::string> flags_of(const CLI::App& command) {
    std::vector<std::string> flags;
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
    }
    return flags;
}

/// What CLI11 complains of, in better English.
std::string worded(const CLI::ParseError& error) {
    constexpr std::string_view kNoNumber = "Could not convert: ";
    const std::string what = error.what();
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
        return what.substr(0, what.find(':')) + " needs a value";
    if (what.starts_with(kNoNumber)) return "expected a number, got " + what.substr(kNoNumber.size());
    return what;
}

/// Throws usage for what CLI11 could not make sense of.
[[noreturn]] void refuse(const CLI::App& app, const CLI::ParseError& error) {
    const CLI::App* command = &app;
    std::string path = app.get_name();
    while (!command->get_subcommands().empty()) {
        command = command->get_subcommands().back();
        path += " " + command->get_name();
    }
    const std::vector<std::string> commands = gass::cli::command_names(*command);
    // CLI11 asks for a command before it looks at the word that is none.
    std::vector<std::string> unknown = app.remaining(true);
    std::erase(unknown, "--");  // CLI11 counts it, though it is none
    std::string what = worded(error);
    if (!unknown.empty()) {
        const std::string word = unknown.front().substr(0, unknown.front().find('='));
        const bool is_flag = word.starts_with('-');
        what = (is_flag || commands.empty() ? "unknown argument " : "no command ") + gass::in_quotes(word) +
               gass::did_you_mean(word, is_flag ? flags_of(*command) : commands);
    } else if (!commands.empty()) {
        what = fmt::format("expected a command: {}", fmt::join(commands, ", "));
    }
    gass::fail(gass::ErrorCode::usage, path, "{}; see {} --help", what, path);
}

/// Builds the commands, parses, and runs the one that was chosen.
int run(int argc, char** argv) {
    CLI::App app(kAbout, "gass");
    app.set_version_flag("--version", "gass " + std::string(gass::version()), "Show the version and exit");
    app.set_help_flag("-h,--help", "Show this help and exit");
    app.require_subcommand(1);
    app.footer(std::string(kStart) + kRest);
    app.get_formatter()->column_width(34);
    // As in most programs: who repeats a command line with a flag behind it means that one.
    app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);

    gass::cli::CommandLine line(argv);
    gass::cli::add_generate_command(app, line);
    gass::cli::add_vary_command(app, line);
    gass::cli::add_compare_command(app, line);
    gass::cli::add_reproduce_command(app, line);
    gass::cli::add_calibrate_command(app, line);
    gass::cli::add_measure_command(app, line);
    gass::cli::add_features_command(app, line);
    gass::cli::add_cache_command(app, line);
    gass::cli::add_models_command(app, line);
    gass::cli::add_methods_command(app, line);
    gass::cli::add_listing_commands(app, line);
    gass::cli::add_explain_command(app, line);
    gass::cli::add_inspect_command(app, line);
    gass::cli::add_tokens_command(app, line);
    gass::cli::add_bench_command(app, line);
    gass::cli::add_eval_command(app, line);
    gass::cli::add_serve_command(app, line);
    gass::cli::add_help_command(app, line);
    gass::cli::add_completion_commands(app, line);
    gass::cli::add_manual_command(app, line);
    if (argc == 1) return show_overview();
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& asked) {  // --help, --version
        return app.exit(asked);
    } catch (const CLI::ParseError& error) {
        refuse(app, error);
    }
    return line.action();
}

}  // namespace

int main(int argc, char** argv) {
    gass::cli::start_up();
    gass::log::set_wording(gass::cli::with_flags);
    try {
        return run(argc, argv);
    } catch (const gass::Error& error) {
        gass::log::error("{}", error.what());
        return gass::exit_status(error.code());
    } catch (const std::bad_alloc&) {
        gass::log::error("out of memory");
        return gass::exit_status(gass::ErrorCode::out_of_memory);
    } catch (const std::exception& foreign) {
        const gass::Error error = gass::cli::as_error(foreign);
        gass::log::error("{}", error.what());
        return gass::exit_status(error.code());
    }
}
