#include "command_line.h"
#include "completion.h"
#include "output.h"

#include <array>
#include <memory>
#include <string_view>
#include <utility>

namespace gass::cli {
namespace {

// The scripts ask the program itself what fits ("gass complete WORD…"), so that they know every method,
// model, preset and suite that is there when the key is pressed. A line is a word, a tab and its help;
// ":files" asks for file names, too.

constexpr std::string_view kBash =
    R"SH(# bash completion for gass; load it with: source <(gass completion bash)
_gass() {
    # Bash parts words at colons and equals signs; here they belong to the word: gass:candidates=4
    local words=() glued='' i word line head
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ ${#words[@]} -gt 0 && ( -n $glued || $word == [:=]* ) ]]; then words[-1]+=$word; else words+=("$word"); fi
        if [[ $word == *[:=] ]]; then glued=yes; else glued=''; fi
    done
    word=${words[-1]}
    head=${word%"${word##*[:=]}"}
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ $line == :files ]]; then
            while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$word")
            compopt -o filenames 2>/dev/null
            continue
        fi
        line=${line%%$'\t'*}
        [[ $line != *= ]] || compopt -o nospace 2>/dev/null
        COMPREPLY+=("${line#"$head"}")
    done < <("${COMP_WORDS[0]}" complete "${words[@]}" 2>/dev/null)
}
complete -F _gass gass
)SH";

constexpr std::string_view kZsh = R"SH(#compdef gass
# zsh completion for gass; put it into a folder of $fpath as _gass, or load it with: source <(gass completion zsh)
_gass() {
    local -a found shown
    local line word
    local -i files=0
    for line in "${(@f)$("${words[1]}" complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
        case $line in
            '') ;;
            :files) files=1 ;;
            *)
                word=${line%%$'\t'*}
                found+=("$word")
                shown+=("$word${${line#"$word"}/$'\t'/  -- }")
                ;;
        esac
    done
    local -i result=1
    (( $#found )) && compadd -l -S "${${(M)found[1]:#*=}:+}" -d shown -- "${found[@]}" && result=0
    (( files )) && _files && result=0
    return result
}
if [[ $funcstack[1] == _gass ]]; then _gass "$@"; else compdef _gass gass; fi
)SH";

constexpr std::string_view kFish =
    R"SH(# fish completion for gass; load it with: gass completion fish | source
function __gass_complete
    set -l typed (commandline -ct)
    for line in (gass complete (commandline -opc)[2..-1] "$typed" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$typed"
        else
            echo $line
        end
    end
end
complete -c gass -f -a '(__gass_complete)'
)SH";

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kScripts{
    {{"bash", kBash}, {"zsh", kZsh}, {"fish", kFish}}};

int print_script(std::string_view shell) {
    for (const auto& [name, script] : kScripts) {
        if (name == shell) write_stdout(script);
    }
    return 0;
}

/// What the scripts ask. `arguments` are the program's own.
int print_completions(const CLI::App& app, char** arguments) {
    std::vector<std::string> words;
    for (char** word = arguments + 2; *word != nullptr; ++word) words.emplace_back(*word);
    const Completions found = complete(app, words);
    std::string out;
    for (const auto& [word, help] : found.candidates) out += word + (help.empty() ? "" : "\t" + help) + "\n";
    write_stdout(out + (found.files ? ":files\n" : ""));
    return 0;
}

}  // namespace

void add_completion_commands(CLI::App& app, CommandLine& line) {
    const auto shell = std::make_shared<std::string>();
    CLI::App* command = add_command(app, line, "completion", "Print a completion script for a shell",
                                    [shell] { return print_script(*shell); });
    command->add_option("SHELL", *shell, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}).description(""))
        ->type_name("bash|zsh|fish");

    CLI::App* asked = add_command(app, line, "complete", "What may be typed next",
                                  [&app, &line] { return print_completions(app, line.arguments); });
    asked->prefix_command();  // every word is for print_completions
    asked->set_help_flag();
    asked->group("");  // not in the help: the scripts use it
}

}  // namespace gass::cli
