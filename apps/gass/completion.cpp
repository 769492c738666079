#include "completion.h"

#include "child_process.h"
#include "command_line.h"
#include "core/json.h"
#include "core/settings.h"
#include "core/text.h"
#include "eval/suite/known_suites.h"
#include "io/model_lookup.h"
#include "measure/metric/metric.h"
#include "presets.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <string_view>
#include <utility>

namespace gass::cli {
namespace {

using Candidate = Completions::Candidate;
using Candidates = std::vector<Candidate>;

Candidates models() {
    Candidates found;
    for (const ModelLocation& model : list_models())
        found.push_back({model.name, std::string(to_string(model.source))});
    return found;
}

Candidates presets() {
    Candidates found;
    for (const Preset& preset : list_presets()) found.push_back({preset.name, preset.description});
    return found;
}

Candidates suites() {
    Candidates found;
    for (const eval::KnownSuite& suite : eval::list_suites()) found.push_back({suite.name, suite.title});
    return found;
}

Candidates metrics() {
    Candidates found;
    for (const MetricSpec& spec : metric_specs())
        found.push_back({std::string(spec.name), std::string(spec.help)});
    found.push_back({"prdc", "precision, recall, density and coverage"});
    return found;
}

/// What `gass methods --json` tells. The methods need LibTorch, which this program may do without.
Json described_methods() {
    const std::string text = output_of({(program_folder() / "gass").string(), "methods", "--json"});
    const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    return json.is_object() ? json.value("methods", Json::array()) : Json::array();
}

Candidates methods() {
    Candidates found;
    for (const Json& method : described_methods())
        found.push_back({method.at("name").get<std::string>(), method.at("help").get<std::string>()});
    return found;
}

/// "scale=" and the other parameters of a method.
Candidates parameters(std::string_view name) {
    Candidates found;
    for (const Json& method : described_methods()) {
        if (method.at("name").get<std::string>() != name) continue;
        for (const Json& knob : method.at("parameters"))
            found.push_back({knob.at("name").get<std::string>() + "=", knob.at("help").get<std::string>()});
    }
    return found;
}

void keep_beginning_with(Candidates& candidates, std::string_view typed) {
    std::erase_if(candidates, [&](const Candidate& candidate) { return !candidate.word.starts_with(typed); });
}

/// Candidates for what stands behind the last separator, with what stands before it in front of them.
Candidates behind(std::string_view separators, std::string_view typed,
                  const std::function<Candidates()>& known) {
    const auto last = typed.find_last_of(separators);
    const std::string before(typed.substr(0, last == std::string_view::npos ? 0 : last + 1));
    Candidates found = known();
    for (Candidate& candidate : found) candidate.word.insert(0, before);
    return found;
}

/// "cads:scale=0.2+ga": methods, and behind a colon the parameters of the method before it.
Candidates method_text(std::string_view typed) {
    const std::string_view method = typed.substr(typed.find_last_of('+') + 1);
    const auto colon = method.find(':');
    if (colon == std::string_view::npos) return behind("+,", typed, methods);
    return behind(":,", typed, [&] { return parameters(method.substr(0, colon)); });
}

using Source = Candidates (*)(std::string_view typed);

template <Candidates (*List)()>
Candidates one_of(std::string_view) {
    return List();
}

template <Candidates (*List)()>
Candidates list_of(std::string_view typed) {
    return behind(",", typed, List);
}

/// What the value of an option is, where its type does not say it. An option goes by its longest name, a
/// positional by the commands before it.
struct Value {
    std::string_view name;
    Source source;
    bool files;  ///< a model may be a folder
};
constexpr std::array kValues{
    Value{"--model", one_of<models>, true},
    Value{"--guide", one_of<models>, true},
    Value{"--encoder", list_of<models>, true},
    Value{"--preset", one_of<presets>, true},
    Value{"--method", method_text, false},
    Value{"--methods", method_text, false},
    Value{"--only-methods", list_of<methods>, false},
    Value{"--metrics", list_of<metrics>, false},
    Value{"models inspect", one_of<models>, true},
    Value{"models verify", one_of<models>, true},
    Value{"methods", one_of<methods>, false},
    Value{"eval", one_of<suites>, true},
};

/// "auto|plain|json|none" as candidates; none if the type is no such list.
Candidates choices_of(std::string_view type) {
    Candidates found;
    const bool is_list = type.find('|') != std::string_view::npos &&
                         std::ranges::none_of(type, [](unsigned char c) { return std::isupper(c) != 0; });
    if (!is_list) return found;
    for (const std::string_view choice : split(type, '|')) found.push_back({std::string(choice), ""});
    return found;
}

void add_values(const CLI::Option& option, std::string_view name, std::string_view typed, Completions& out) {
    const std::string type = value_name(option);
    out.candidates = choices_of(type);
    const auto value = std::ranges::find(kValues, name, &Value::name);
    if (value != kValues.end()) {
        out.candidates = value->source(typed);
        out.files = value->files;
        return;
    }
    const std::string shape = type + " " + option.get_name(/*positional=*/true);
    for (const std::string_view kind : {"FILE", "DIR", "FOLDER", "IMAGES", "GROUP"})
        out.files = out.files || shape.find(kind) != std::string::npos;
}

std::string longest_name(const CLI::Option& option) {
    return option.get_lnames().empty() ? "" : "--" + option.get_lnames().front();
}

/// The commands below another one.
void add_commands(const CLI::App& parent, Completions& out) {
    for (const std::string& name : command_names(parent))
        out.candidates.push_back({name, find_command(parent, name)->get_description()});
}

/// The option of that name, "-m" or "--model".
const CLI::Option* find_option(const CLI::App& command, std::string_view name) {
    for (const CLI::Option* option : command.get_options()) {
        if (!option->get_positional() && option->check_name(std::string(name))) return option;
    }
    return nullptr;
}

/// What stands behind "help": commands.
Completions complete_help(const CLI::App& app, const std::vector<std::string>& words) {
    const CLI::App* command = &app;
    for (std::size_t i = 1; i + 1 < words.size(); ++i) {
        command = find_command(*command, words[i]);
        if (command == nullptr) return {};
    }
    Completions out;
    add_commands(*command, out);
    keep_beginning_with(out.candidates, words.back());
    return out;
}

}  // namespace

Completions complete(const CLI::App& app, const std::vector<std::string>& words) {
    if (words.size() > 1 && words.front() == "help") return complete_help(app, words);
    const CLI::App* command = &app;
    std::string path;
    const CLI::Option* open = nullptr;  // an option that waits for its value
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        if (open != nullptr) {
            open = nullptr;
        } else if (words[i].starts_with("-")) {
            const CLI::Option* option = find_option(*command, words[i]);
            if (option != nullptr && !value_name(*option).empty()) open = option;
        } else if (const CLI::App* sub = find_command(*command, words[i])) {
            command = sub;
            path += (path.empty() ? "" : " ") + words[i];
        }
    }
    const std::string typed = words.empty() ? "" : words.back();
    Completions out;
    if (open != nullptr) {
        add_values(*open, longest_name(*open), typed, out);
    } else if (typed.starts_with("-")) {
        for (const CLI::Option* option : command->get_options()) {
            for (const std::string& name : option->get_lnames())
                out.candidates.push_back({"--" + name, option->get_description()});
            for (const std::string& name : option->get_snames())
                out.candidates.push_back({"-" + name, option->get_description()});
        }
    } else {
        add_commands(*command, out);
        for (const CLI::Option* option : command->get_options()) {
            if (option->get_positional()) add_values(*option, path, typed, out);
        }
    }
    keep_beginning_with(out.candidates, typed);
    return out;
}

}  // namespace gass::cli
