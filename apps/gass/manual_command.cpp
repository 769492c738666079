#include "command_line.h"
#include "core/text.h"
#include "output.h"

#include <gass/version.h>

#include <fmt/format.h>

namespace gass::cli {
namespace {

/// Text as roff prints it: no escapes, no requests, and hyphens that can be copied.
std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '\\') {
            out += "\\e";
        } else if (c == '-') {
            out += "\\-";
        } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
            out += std::string("\\&") + c;
        } else {
            out += c;
        }
    }
    return out;
}

/// "-m, --model TEXT"
std::string usage_of(const CLI::Option& option) {
    std::string names;
    const auto add = [&](const std::string& name) {
        names += (names.empty() ? "" : ", ") + ("\\fB" + escaped(name) + "\\fR");
    };
    for (const std::string& name : option.get_snames()) add("-" + name);
    for (const std::string& name : option.get_lnames()) add("--" + name);
    if (names.empty()) return "\\fI" + escaped(option.get_name(/*positional=*/true)) + "\\fR";
    const std::string value = value_name(option);
    return value.empty() ? names : names + " \\fI" + escaped(value) + "\\fR";
}

/// One command, and those below it.
void add_commands(const CLI::App& parent, const std::string& path, std::string& out) {
    for (const CLI::App* command : parent.get_subcommands({})) {
        if (command->get_group().empty()) continue;
        const std::string name = path + " " + command->get_name();
        out += fmt::format(".SS {}\n{}.\n", escaped(name), escaped(command->get_description()));
        for (const CLI::Option* option : command->get_options()) {
            if (option->check_name("--help")) continue;
            out += fmt::format(".TP\n{}\n{}", usage_of(*option), escaped(option->get_description()));
            if (const std::string value = option->get_default_str(); !value.empty())
                out += escaped(fmt::format(" [{}]", value));
            out += "\n";
        }
        // Lists below the flags, of metrics for instance, keep their lines.
        if (const std::string footer = command->get_footer(); !footer.empty())
            out += fmt::format(".PP\n.nf\n{}\n.fi\n", escaped(footer.substr(footer.find_first_not_of('\n'))));
        add_commands(*command, name, out);
    }
}

std::string manual_of(const CLI::App& app) {
    std::string out = fmt::format(".TH GASS 1 \"\" \"gass {}\" \"User Commands\"\n", version());
    out += ".SH NAME\ngass \\- sets of images from one prompt that truly differ and still match it\n";
    out += ".SH SYNOPSIS\n.B gass\n\\fICOMMAND\\fR [\\fIOPTION\\fR]...\n";
    out += ".SH DESCRIPTION\n" + escaped(app.get_description()) + "\n";
    out += ".PP\n.nf\n" + escaped(app.get_footer().substr(1)) + "\n.fi\n";
    out += ".SH COMMANDS\n";
    add_commands(app, "gass", out);
    out += R"(.SH ENVIRONMENT
.TP
\fBGASS_\fR\fISETTING\fR
the value of a setting where no flag gives one, GASS_MODEL for instance; each flag's help names its variable
.TP
\fBGASS_TORCH\fR
a folder with LibTorch's libraries, in place of those that gass was built or installed with
.TP
\fBGASS_DATA_DIR\fR
models, presets and suites, in place of those that came with gass
.TP
\fBGASS_CACHE_DIR\fR
where features of pictures are kept
.TP
\fBGASS_USER_CONFIG\fR
a file with settings of yours, in place of ~/.config/gass/config.json; empty: none
.TP
\fBHF_HOME\fR, \fBHF_HUB_CACHE\fR
the Hugging Face cache, where models named org/name are looked for
.SH FILES
.TP
\fI~/.config/gass/config.json\fR
settings of yours, as \fB\-\-config\fR takes them; \fBXDG_CONFIG_HOME\fR moves it. gass eval and gass reproduce do not read it
.SH SEE ALSO
The documents in the folder docs of the source.
)";
    return out;
}

}  // namespace

void add_manual_command(CLI::App& app, CommandLine& line) {
    add_command(app, line, "manual", "Print the manual page, for man: gass manual | man -l -", [&app] {
        write_stdout(manual_of(app));
        return 0;
    });
}

}  // namespace gass::cli
