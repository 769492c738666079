#include "eval/suite/suite_overrides.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/wording.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace gass::eval {
namespace {

template <class Part>
[[noreturn]] void fail_for_unknown(SettingKey setting, const char* kind, std::string_view id,
                                   const std::vector<Part>& parts) {
    std::vector<std::string_view> known;
    for (const Part& part : parts) known.push_back(part.id);
    fail(ErrorCode::usage, setting, "the suite has no {} {}{}; it has {}", kind, in_quotes(id),
         did_you_mean(id, known), fmt::join(known, ", "));
}

void place_models(const std::vector<std::string>& places, Suite& suite) {
    std::set<std::string_view> seen;
    for (const std::string& text : places) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos || equals + 1 == text.size())
            fail(ErrorCode::usage, SettingKey("model"), "expected ID=FOLDER, got {}", in_quotes(text));
        const std::string_view id = std::string_view(text).substr(0, equals);
        const auto model = std::ranges::find(suite.models, id, &SuiteModel::id);
        if (model == suite.models.end()) fail_for_unknown(SettingKey("model"), "model", id, suite.models);
        if (!seen.insert(id).second)
            fail(ErrorCode::usage, SettingKey("model"), "{} is given twice", in_quotes(id));
        model->settings["model"] = text.substr(equals + 1);
    }
}

/// Which of the parts are wanted: all of them if none is named.
template <class Part>
std::vector<bool> wanted(const std::vector<std::string>& only, SettingKey setting, const char* kind,
                         const std::vector<Part>& parts) {
    std::vector<bool> result(parts.size(), only.empty());
    for (const std::string& id : only) {
        const auto part = std::ranges::find(parts, id, &Part::id);
        if (part == parts.end()) fail_for_unknown(setting, kind, id, parts);
        result[static_cast<std::size_t>(part - parts.begin())] = true;
    }
    return result;
}

template <class Part>
std::vector<Part> kept(const std::vector<Part>& parts, const std::vector<bool>& keep) {
    std::vector<Part> result;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (keep[i]) result.push_back(parts[i]);
    }
    return result;
}

/// Rules stand between two methods, also after some of these have gone.
void tidy_rules(std::vector<std::string>& methods) {
    const auto same_rule = [](const std::string& a, const std::string& b) { return a.empty() && b.empty(); };
    methods.erase(std::unique(methods.begin(), methods.end(), same_rule), methods.end());
    if (!methods.empty() && methods.front().empty()) methods.erase(methods.begin());
    if (!methods.empty() && methods.back().empty()) methods.pop_back();
}

/// False if nothing is left to show.
bool narrow(SuiteTable& table, const Suite& suite) {
    std::erase_if(table.models, [&](const std::string& id) { return suite.find_model(id) == nullptr; });
    std::erase_if(table.methods,
                  [&](const std::string& id) { return !id.empty() && suite.find_method(id) == nullptr; });
    tidy_rules(table.methods);
    const bool lacks_baseline = table.layout == TableLayout::splits && suite.baseline.empty();
    return !table.models.empty() && !table.methods.empty() && !lacks_baseline;
}

}  // namespace

void apply_overrides(const SuiteOverrides& overrides, Suite& suite) {
    place_models(overrides.models, suite);
    const std::vector<bool> models =
        wanted(overrides.only_models, SettingKey("only_models"), "model", suite.models);
    const std::vector<bool> methods =
        wanted(overrides.only_methods, SettingKey("only_methods"), "method", suite.methods);
    suite.models = kept(suite.models, models);
    suite.methods = kept(suite.methods, methods);
    for (SuiteMethod& method : suite.methods) method.methods = kept(method.methods, models);
    if (suite.find_method(suite.baseline) == nullptr) suite.baseline.clear();
    std::vector<SuiteTable> tables;
    for (SuiteTable& table : suite.tables) {
        if (narrow(table, suite)) tables.push_back(std::move(table));
    }
    suite.tables = std::move(tables);
    if (suite.published) {
        Json& parameters = suite.published->parameters;
        for (auto entry = parameters.begin(); entry != parameters.end();)
            entry = suite.find_model(entry.key()) == nullptr ? parameters.erase(entry) : std::next(entry);
    }
}

}  // namespace gass::eval
