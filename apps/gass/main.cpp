#include "command_line.h"
#include "core/fail.h"
#include "core/log.h"
#include "core/quote.h"
#include "engine.h"
#include "flag_names.h"
#include "start_up.h"

#include <gass/version.h>

#include <exception>
#include <new>
#include <string>
#include <vector>

namespace {

constexpr const char* kAbout =
    "gass makes sets of images from one prompt that truly differ from each other and still match the "
    "prompt.\n"
    "Models in the diffusers layout run as they are; three small ones come with it.";

constexpr const char* kFooter =
    "\nStart here:\n"
    "  gass generate -p \"a red car\" -n 8     eight pictures and a contact sheet\n"
    "  gass compare -p \"a red car\" -n 8      the same seeds under each method, and a page about it\n"
    "  gass vary cars/0002.png -n 8          variations of the picture that you like best\n"
    "  gass measure cars/ -p \"a red car\"      how far a folder's images differ, and match a prompt\n"
    "  gass eval mini-small                  models and methods over many prompts: tables with intervals\n"
    "  gass models list                      what is here\n"
    "  gass methods                          how a set can be made to differ\n"
    "  gass models inspect mini-flow         what a model consists of\n"
    "  gass tokens -p \"a red car\"            how the text encoders read a prompt\n"
    "  gass COMMAND --help                   the flags of a command\n"
    "\nSettings: flags win over GASS_* variables, these over --config FILE, over --preset NAME, over the "
    "model's gass.json.\n"
    "Exit status: 0 done, 1 failure, 2 wrong usage or settings, 3 model or file missing or damaged, 4 out of "
    "memory or\n"
    "no device, 5 partial result, 6 a check failed, 130 interrupted.";

/// Builds the commands, parses, and runs the one that was chosen.
int run(int argc, char** argv) {
    CLI::App app(kAbout, "gass");
    app.set_version_flag("--version", "gass " + std::string(gass::version()));
    app.require_subcommand(1);
    app.footer(kFooter);
    app.get_formatter()->column_width(34);

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
    gass::cli::add_explain_command(app, line);
    gass::cli::add_inspect_command(app, line);
    gass::cli::add_tokens_command(app, line);
    gass::cli::add_bench_command(app, line);
    gass::cli::add_eval_command(app, line);
    gass::cli::add_completion_commands(app, line);
    gass::cli::add_manual_command(app, line);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& asked) {  // --help, --version
        return app.exit(asked);
    } catch (const CLI::ParseError& error) {
        // CLI11 asks for a command before it looks at the word that is none.
        std::vector<std::string> unknown = app.remaining(true);
        std::erase(unknown, "--");  // CLI11 counts it, though it is none
        gass::fail(gass::ErrorCode::usage, "gass", "{}; see gass --help",
                   unknown.empty() ? std::string(error.what())
                                   : "unknown argument " + gass::in_quotes(unknown.front()));
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
