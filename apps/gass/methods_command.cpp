#include "engine.h"

#include <memory>

namespace gass::cli {

void add_methods_command(CLI::App& app, CommandLine& line) {
    const auto options = std::make_shared<MethodsOptions>();
    CLI::App* command =
        add_command(app, line, "methods", "The methods that make a set differ, and their parameters",
                    [options, &line] { return show_methods(line, *options); });
    command->add_option("NAME", options->name, "show only this one")->type_name("");
    command->add_flag("--json", options->json, "print JSON");
}

}  // namespace gass::cli
