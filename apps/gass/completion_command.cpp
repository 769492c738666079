#include "command_line.h"
#include "core/fail.h"
#include "output.h"

#include <memory>

namespace gass::cli {
namespace {

/// One line of the script's table: what may follow these commands.
void append_words(const CLI::App& command, const std::string& path, std::string& out) {
    std::string words;
    for (const CLI::App* sub : command.get_subcommands({})) words += sub->get_name() + " ";
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& name : option->get_snames()) words += "-" + name + " ";
        for (const std::string& name : option->get_lnames()) words += "--" + name + " ";
    }
    if (!words.empty()) words.pop_back();
    out += fmt::format("        '{}') words='{}' ;;\n", path, words);
    for (const CLI::App* sub : command.get_subcommands({})) {
        append_words(*sub, path.empty() ? sub->get_name() : path + " " + sub->get_name(), out);
    }
}

/// The table is made from the program's own commands, so that it cannot fall behind them.
std::string bash_script(const CLI::App& app) {
    std::string table;
    append_words(app, "", table);
    return R"SH(# bash completion for gass; load it with: source <(gass completion bash)
_gass() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} path='' words='' i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "${COMP_WORDS[i]}" in
            [a-z]*) path="${path:+$path }${COMP_WORDS[i]}" ;;
            *) break ;;
        esac
    done
    case "$previous" in
        -m | --model) path='models inspect' current=${current/#-/} ;;
        --config) return ;;
    esac
    if [[ $current != -* && ($path == 'models inspect'* || $path == 'models verify'*) ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(gass models list 2>/dev/null | awk 'NR > 1 { print $1 }')" -- "$current"
                                 compgen -d -- "$current")
        return
    fi
    case "$path" in
)SH" + table +
           R"SH(    esac
    # Flags only when asked for; where there are no words, bash offers files.
    if [[ $current != -* ]]; then words=$(printf '%s\n' $words | grep -v '^-'); fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o default -F _gass gass
)SH";
}

}  // namespace

void add_completion_command(CLI::App& app, CommandLine& line) {
    const auto shell = std::make_shared<std::string>();
    CLI::App* command =
        add_command(app, line, "completion", "Print a completion script for the shell", [&app, shell] {
            write_stdout(bash_script(app));
            return 0;
        });
    command->add_option("SHELL", *shell, "the shell")->required()->check(CLI::IsMember({"bash"}));
}

}  // namespace gass::cli
