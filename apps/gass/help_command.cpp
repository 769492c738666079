#include "command_line.h"
#include "core/fail.h"
#include "core/quote.h"
#include "core/wording.h"
#include "output.h"

#include <memory>
#include <string>
#include <vector>

namespace gass::cli {
namespace {

/// What `gass COMMAND --help` prints, for a command and those below it.
int show_help(const CLI::App& app, const std::vector<std::string>& words) {
    const CLI::App* command = &app;
    std::string path = app.get_name();
    for (const std::string& word : words) {
        const CLI::App* next = find_command(*command, word);
        if (next == nullptr)
            fail(ErrorCode::usage, "gass help", "{} has no command {}{}", path, in_quotes(word),
                 did_you_mean(word, command_names(*command)));
        command = next;
        path += " " + word;
    }
    write_stdout(app.get_formatter()->make_help(command, path, CLI::AppFormatMode::Normal));
    return 0;
}

}  // namespace

void add_help_command(CLI::App& app, CommandLine& line) {
    const auto words = std::make_shared<std::vector<std::string>>();
    CLI::App* command = add_command(app, line, "help", "Show this help, or that of a command",
                                    [&app, words] { return show_help(app, *words); });
    command->add_option("COMMAND", *words, "the command, models list for instance")->type_name("");
}

}  // namespace gass::cli
