#include "eval/suite/suite_tables.h"

#include "core/fail.h"
#include "core/quote.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <utility>

namespace gass::eval {
namespace {

constexpr std::size_t kMaxSplits = 64;
constexpr std::size_t kMaxTables = 64;
constexpr std::size_t kMaxPlots = 64;

/// Whether the suite has a part of that id.
using Has = std::function<bool(std::string_view)>;

void require(const Has& has, std::string_view kind, std::string_view id, const std::string& where) {
    if (!has(id)) fail(ErrorCode::model_invalid, where, "there is no {} {}", kind, in_quotes(id));
}

template <class Part>
std::vector<std::string> ids_of(const std::vector<Part>& parts) {
    std::vector<std::string> ids;
    for (const Part& part : parts) ids.push_back(part.id);
    return ids;
}

bool contains(const std::vector<std::string>& ids, std::string_view id) {
    return std::ranges::find(ids, id) != ids.end();
}

/// A list of ids; all there are if the table does not say which.
template <class Part>
std::vector<std::string> read_ids(SuiteObject& table, const char* key, const char* kind,
                                  const std::vector<Part>& parts) {
    const std::vector<std::string> known = ids_of(parts);
    std::vector<std::string> ids = table.texts(key, known);
    if (ids.empty()) fail(ErrorCode::model_invalid, table.place(key), "the list is empty");
    std::set<std::string_view> seen;
    for (const std::string& id : ids) {
        if (id.empty()) continue;  // a rule, which read_methods looks at
        require([&](std::string_view one) { return contains(known, one); }, kind, id, table.place(key));
        if (!seen.insert(id).second)
            fail(ErrorCode::model_invalid, table.place(key), "{} is given twice", in_quotes(id));
    }
    return ids;
}

template <class Part>
std::vector<std::string> read_plain_ids(SuiteObject& table, const char* key, const char* kind,
                                        const std::vector<Part>& parts) {
    std::vector<std::string> ids = read_ids(table, key, kind, parts);
    if (contains(ids, "")) fail(ErrorCode::model_invalid, table.place(key), "an id is empty");
    return ids;
}

/// Methods may have rules between them.
std::vector<std::string> read_shown_methods(SuiteObject& table, const Suite& suite) {
    std::vector<std::string> ids = read_ids(table, "methods", "method", suite.methods);
    const bool two_rules = std::ranges::adjacent_find(ids, [](const std::string& a, const std::string& b) {
                               return a.empty() && b.empty();
                           }) != ids.end();
    if (two_rules || ids.front().empty() || ids.back().empty())
        fail(ErrorCode::model_invalid, table.place("methods"),
             "a rule, \"\", stands between two methods and nowhere else");
    return ids;
}

TableLayout read_layout(SuiteObject& table) {
    const std::string name = table.text("layout", "methods");
    if (name == "methods") return TableLayout::methods;
    if (name == "sources") return TableLayout::sources;
    if (name == "splits") return TableLayout::splits;
    fail(ErrorCode::model_invalid, table.place("layout"), "expected methods, sources or splits, got {}",
         in_quotes(name));
}

void check_number(const Json& value, const std::string& where) {
    if (!value.is_number() || !std::isfinite(value.get<double>()))
        fail(ErrorCode::model_invalid, where, "expected a number, got {}", in_quotes(value.dump()));
}

void check_pair(const Json& value, const std::string& where) {
    if (!value.is_array() || value.size() != 2)
        fail(ErrorCode::model_invalid, where, "expected two numbers, got {}", in_quotes(value.dump()));
    for (const Json& number : value) check_number(number, where);
}

/// One level of published numbers: who may stand there, and what is expected of each.
struct Level {
    std::string_view kind;
    Has has;
};

/// {id: {id: … value}}, as deep as there are levels.
void check_published(const Json& value, const std::string& where, std::span<const Level> levels,
                     void (*check_value)(const Json&, const std::string&)) {
    if (levels.empty()) return check_value(value, where);
    if (!value.is_object())
        fail(ErrorCode::model_invalid, where, "expected an object with a {} each, got {}",
             levels.front().kind, value.type_name());
    for (const auto& [id, member] : value.items()) {
        require(levels.front().has, levels.front().kind, id, where);
        check_published(member, fmt::format("{}.{}", where, id), levels.subspan(1), check_value);
    }
}

void check_published(const SuiteTable& table, const Suite& suite, const std::string& where) {
    const Level models{"model of the table", [&](std::string_view id) { return contains(table.models, id); }};
    const Level methods{"method of the table",
                        [&](std::string_view id) { return !id.empty() && contains(table.methods, id); }};
    const Level metrics{"metric of the table",
                        [&](std::string_view id) { return contains(table.metrics, id); }};
    const Level sources{"model of the table, nor are real pictures measured,", [&](std::string_view id) {
                            return contains(table.models, id) || (id == kReal && suite.reference.as_row);
                        }};
    const Level splits{"split", [&](std::string_view id) { return contains(ids_of(suite.splits), id); }};
    switch (table.layout) {
        case TableLayout::methods:
            return check_published(table.published, where, std::array{models, methods, metrics},
                                   check_number);
        case TableLayout::sources:
            return check_published(table.published, where, std::array{sources, metrics}, check_pair);
        case TableLayout::splits:
            return check_published(table.published, where, std::array{splits, metrics}, check_pair);
    }
}

/// What only some layouts can show.
void check_layout(const SuiteTable& table, const Suite& suite, const SuiteObject& object) {
    if (table.layout == TableLayout::methods) return;
    if (table.methods.size() != 1)
        fail(ErrorCode::model_invalid, object.place("methods"), "this layout shows one method, not {}",
             table.methods.size());
    if (table.layout == TableLayout::sources) return;
    if (table.models.size() != 1)
        fail(ErrorCode::model_invalid, object.place("models"), "this layout shows one model, not {}",
             table.models.size());
    if (suite.splits.empty())
        fail(ErrorCode::model_invalid, object.where(), "this layout needs \"splits\" in the suite");
    if (table.methods.front() == suite.baseline)
        fail(ErrorCode::model_invalid, object.place("methods"),
             "this layout shows the way from the baseline to another method");
}

}  // namespace

void read_splits(SuiteObject& object, Suite& suite) {
    constexpr std::int64_t kMostWords = 1'000'000;
    for (auto& [id, split] : object.entries("splits", kMaxSplits)) {
        SuiteSplit part{.id = id, .name = split.line("name", id)};
        part.least_words = static_cast<std::size_t>(split.integer("least_words", 0, 0, kMostWords));
        part.most_words = static_cast<std::size_t>(split.integer("most_words", 0, 0, kMostWords));
        split.finish();
        if (part.most_words != 0 && part.most_words < part.least_words)
            fail(ErrorCode::model_invalid, split.where(), "no prompt has {} to {} words", part.least_words,
                 part.most_words);
        suite.splits.push_back(std::move(part));
    }
}

void read_tables(SuiteObject& object, Suite& suite) {
    for (auto& [id, entry] : object.entries("tables", kMaxTables)) {
        SuiteTable table;
        table.id = id;
        table.title = entry.line("title", id);
        table.layout = read_layout(entry);
        table.models = read_plain_ids(entry, "models", "model", suite.models);
        table.methods = read_shown_methods(entry, suite);
        table.metrics = read_plain_ids(entry, "metrics", "metric", suite.metrics);
        check_layout(table, suite, entry);
        if (const Json* published = entry.find("published")) {
            table.published = *published;
            check_published(table, suite, entry.place("published"));
        }
        entry.finish();
        suite.tables.push_back(std::move(table));
    }
}

void read_plots(SuiteObject& object, Suite& suite) {
    const Json* plots = object.find("plots");
    if (plots == nullptr) return;
    const std::string where = object.place("plots");
    if (!plots->is_array() || plots->size() > kMaxPlots)
        fail(ErrorCode::model_invalid, where, "expected a list of at most {} plots", kMaxPlots);
    const auto has = [&](std::string_view id) { return suite.find_metric(id) != nullptr; };
    for (std::size_t i = 0; i < plots->size(); ++i) {
        JsonReader entry((*plots)[i], fmt::format("{}[{}]", where, i));
        const SuitePlot plot{.x = entry.text("x"), .y = entry.text("y")};
        entry.finish();
        for (const std::string& id : {plot.x, plot.y}) require(has, "metric", id, entry.where());
        if (plot.x == plot.y)
            fail(ErrorCode::model_invalid, entry.where(), "{} over itself", in_quotes(plot.x));
        suite.plots.push_back(plot);
    }
}

void read_published_run(SuiteObject& object, Suite& suite) {
    if (object.find("published") == nullptr) {
        const auto table = std::ranges::find_if(
            suite.tables, [](const SuiteTable& one) { return !one.published.is_null(); });
        if (table != suite.tables.end())
            fail(ErrorCode::model_invalid, object.where(),
                 "tables.{} has published numbers; \"published\" must say of which run", table->id);
        return;
    }
    constexpr std::int64_t kMost = std::int64_t{1} << 53U;  // whatever reads JSON can hold these
    SuiteObject entry = object.object("published");
    PublishedRun run{.source = entry.line("source")};
    run.prompts = static_cast<std::size_t>(entry.integer("prompts", std::nullopt, 1, kMost));
    run.images = entry.integer("images", std::nullopt, 1, kMost);
    if (const Json* parameters = entry.find("parameters")) {
        const std::string where = entry.place("parameters");
        const JsonReader models(*parameters, where);  // refuses what is no object
        for (const auto& [id, count] : parameters->items()) {
            require([&](std::string_view one) { return suite.find_model(one) != nullptr; }, "model", id,
                    where);
            checked_integer(count, where, id, 1, kMost);
        }
        run.parameters = *parameters;
    }
    entry.finish();
    suite.published = std::move(run);
}

}  // namespace gass::eval
