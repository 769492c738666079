#include "eval/suite/suite_prompts.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/text.h"
#include "core/wording.h"
#include "eval/suite/suite_document.h"
#include "io/file.h"
#include "measure/images/delimited_text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace gass::eval {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxPrompts = 200'000;
constexpr std::string_view kLabelMark = "{label}";
// The first that is there counts.
constexpr std::array<std::string_view, 4> kPromptColumns{"prompt", "prompts", "text", "caption"};
constexpr std::array<std::string_view, 3> kClassColumns{"class", "name", "category"};

/// Collects prompts, each with the place it came from.
class PromptList {
  public:
    explicit PromptList(std::string pattern) : pattern_(std::move(pattern)) {}

    /// What is nothing but a text: a prompt, or the label that the template makes one of.
    void add_text(std::string text, std::string_view class_name, const std::string& where) {
        if (pattern_.empty()) return add(std::move(text), class_name, where);
        std::ranges::replace(text, '_', ' ');
        add(text.empty() ? text : with_replaced(pattern_, kLabelMark, text), class_name, where);
    }

    /// {"prompt": …, "label": …, "class": …}
    void add_object(JsonReader& object) {
        std::string prompt = object.text("prompt", "");
        std::string label = object.text("label", "");
        const std::string class_name = object.text("class", "");
        if (!label.empty() && !pattern_.empty())
            return add_text(std::move(label), class_name, object.where());
        if (prompt.empty() && !label.empty())
            fail(ErrorCode::model_invalid, object.where(),
                 "a label and no prompt; \"template\" makes one of the other, \"A photo of {{label}}.\" for "
                 "instance");
        add(std::move(prompt), class_name, object.where());
    }

    void add(std::string prompt, std::string_view class_name, const std::string& where) {
        check_prompt(prompt, where, ErrorCode::model_invalid);
        check_prompt(class_name, where, ErrorCode::model_invalid);
        if (prompt.find_first_not_of(" \t\r\n") == std::string::npos)
            fail(ErrorCode::model_invalid, where, "the prompt is missing");
        if (prompts_.size() == kMaxPrompts)
            fail(ErrorCode::model_invalid, where, "more than {} prompts", kMaxPrompts);
        std::string name = class_name.empty() ? prompt : std::string(class_name);
        if (!seen_.emplace(prompt, name).second)
            fail(ErrorCode::model_invalid, where, "{} is given twice", in_quotes(prompt));
        prompts_.push_back({prompts_.size(), std::move(prompt), std::move(name)});
    }

    std::vector<SuitePrompt> take() { return std::move(prompts_); }

  private:
    std::string pattern_;
    std::vector<SuitePrompt> prompts_;
    std::set<std::pair<std::string, std::string>> seen_;
};

void read_lines(const std::string& text, const std::string& file, PromptList& list) {
    for (const TextLine& line : prompt_lines(text)) {
        const std::string where = fmt::format("{}, line {}", file, line.number);
        const std::size_t tab = std::min(line.text.find('\t'), line.text.size());
        const std::string_view class_name = line.text.substr(std::min(tab + 1, line.text.size()));
        if (class_name.find('\t') != std::string_view::npos)
            fail(ErrorCode::model_invalid, where, "expected a prompt, or \"prompt<TAB>class\"");
        list.add_text(std::string(line.text.substr(0, tab)), class_name, where);
    }
}

void read_json(const std::string& text, const std::string& file, PromptList& list) {
    const Json json = parse_json(text, file);
    if (!json.is_structured())
        fail(ErrorCode::model_invalid, file, "expected a list or an object of prompts, got {}",
             json.type_name());
    std::size_t number = 0;
    for (const Json& entry : json) {
        const std::string where = fmt::format("{}, prompt {}", file, ++number);
        if (entry.is_string()) {
            list.add_text(entry.get_ref<const std::string&>(), "", where);
        } else {
            JsonReader object(entry, where);
            list.add_object(object);
        }
    }
}

void read_table(const std::string& text, char separator, const std::string& file, PromptList& list) {
    read_columns(text, separator, file, kPromptColumns, kClassColumns,
                 [&](const std::string& prompt, const std::string& class_name, const std::string& place) {
                     list.add(prompt, class_name, place);
                 });
}

void read_file(const fs::path& path, PromptList& list) {
    const std::string file = path.string();
    const fs::path ending = path.extension();
    const bool is_table = ending == ".csv" || ending == ".tsv";
    if (!is_table && ending != ".txt" && ending != ".json")
        fail(ErrorCode::model_invalid, file,
             "expected a list of prompts that is called .txt, .json, .csv or .tsv");
    const std::string text = read_text_file(path, kMaxSuiteFile);
    if (is_table) return read_table(text, ending == ".tsv" ? '\t' : ',', file, list);
    if (ending == ".json") return read_json(text, file, list);
    read_lines(text, file, list);
}

/// A suite may come from anywhere, and takes nothing from outside of its folder.
fs::path file_of_suite(const fs::path& folder, const fs::path& name, const std::string& where) {
    const bool stays = name.is_relative() && std::ranges::find(name, fs::path("..")) == name.end();
    if (!stays)
        fail(ErrorCode::model_invalid, where,
             "{} leads out of the suite's folder; copy it there, or name another list when the suite is run",
             in_quotes(name.string()));
    return folder / name;
}

void read_own_list(SuiteObject& prompts, PromptList& list) {
    const Json& entries = prompts.at("list");
    if (!entries.is_array())
        fail(ErrorCode::model_invalid, prompts.place("list"), "expected a list of prompts, got {}",
             entries.type_name());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const std::string where = fmt::format("{}[{}]", prompts.place("list"), i);
        if (entries[i].is_string()) {
            list.add_text(entries[i].get_ref<const std::string&>(), "", where);
        } else {
            JsonReader object(entries[i], where);
            list.add_object(object);
            object.finish();
        }
    }
}

}  // namespace

void read_suite_prompts(SuiteObject& object, const fs::path& folder, const SuiteOverrides& overrides,
                        Suite& suite) {
    SuiteObject prompts = object.object("prompts");
    const std::string file = prompts.line("file", "");
    const std::string needed = prompts.line("needed", "");
    const bool has_list = prompts.find("list") != nullptr;
    if ((file.empty() ? 0 : 1) + (needed.empty() ? 0 : 1) + (has_list ? 1 : 0) != 1)
        fail(ErrorCode::model_invalid, prompts.where(), "expected one of \"file\", \"list\" and \"needed\"");
    const std::string pattern = prompts.line("template", "");
    if (!pattern.empty() && pattern.find(kLabelMark) == std::string::npos)
        fail(ErrorCode::model_invalid, prompts.place("template"), "{} has no {}", in_quotes(pattern),
             kLabelMark);
    const auto limit = static_cast<std::size_t>(prompts.integer("limit", kMaxPrompts, 1, kMaxPrompts));
    prompts.finish();

    PromptList list(pattern);
    if (!overrides.prompt_file.empty()) {
        read_file(overrides.prompt_file, list);
    } else if (!needed.empty()) {
        fail(ErrorCode::usage, SettingKey("prompt_file"), "this suite needs {}; name the file",
             printable(needed));
    } else if (has_list) {
        read_own_list(prompts, list);
    } else {
        read_file(file_of_suite(folder, file, prompts.place("file")), list);
    }
    suite.prompts = list.take();
    if (suite.prompts.empty())
        fail(ErrorCode::model_invalid,
             overrides.prompt_file.empty() ? prompts.where() : overrides.prompt_file, "there is no prompt");
    const std::size_t wanted = overrides.limit > 0 ? overrides.limit : limit;
    if (suite.prompts.size() <= wanted) return;
    const auto end = suite.prompts.begin() + static_cast<std::ptrdiff_t>(wanted);
    suite.further_prompts.assign(end, suite.prompts.end());
    suite.prompts.erase(end, suite.prompts.end());
}

}  // namespace gass::eval
