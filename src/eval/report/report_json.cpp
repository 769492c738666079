#include "core/optional_number.h"
#include "eval/report/analysis.h"
#include "eval/report/report.h"
#include "eval/report/report_words.h"
#include "eval/report/table.h"

#include <gass/version.h>

#include <utility>

namespace gass::eval {
namespace {

Json to_json(const std::optional<Interval>& interval) {
    return interval ? Json{interval->low, interval->high} : Json();
}

Json to_json(Sign sign) {
    switch (sign) {
        case Sign::better:
            return "better";
        case Sign::worse:
            return "worse";
        case Sign::none:
            break;
    }
    return nullptr;
}

std::string_view name_of(TableLayout layout) {
    switch (layout) {
        case TableLayout::sources:
            return "sources";
        case TableLayout::splits:
            return "splits";
        case TableLayout::methods:
            break;
    }
    return "methods";
}

Json text_or_null(const std::string& text) {
    return text.empty() ? Json() : Json(text);
}

Json difference_json(const PairedDifference& difference) {
    if (difference.pairs == 0) return nullptr;
    return {{"mean", or_null(difference.mean)},   {"interval", to_json(difference.interval)},
            {"ratio", or_null(difference.ratio)}, {"prompts", difference.pairs},
            {"higher", difference.higher},        {"lower", difference.lower},
            {"equal", difference.equal},          {"sign", difference.sign()}};
}

/// "values" are those of the prompts, in the order of "prompts" of the report; null if the metric looks at
/// all images at once.
Json scores_json(const Scores& scores) {
    const Summary summary = summarize(scores);
    Json json{{"value", or_null(summary.mean)},        {"std", or_null(summary.deviation)},
              {"interval", to_json(summary.interval)}, {"prompts", summary.count},
              {"reason", text_or_null(scores.reason)}, {"values", nullptr}};
    if (scores.whole) return json;
    json["values"] = Json::array();
    for (const auto& value : scores.prompts) json["values"].push_back(or_null(value));
    return json;
}

Json method_json(const Results& results, const SuiteModel& model, std::size_t method,
                 const ModelAnalysis& analysis) {
    const Suite& suite = results.suite;
    Json metrics = Json::object();
    for (std::size_t i = 0; i < suite.metrics.size(); ++i) {
        const std::string& id = suite.metrics[i].id;
        const Scores* scores = find_scores(results, model.id, suite.methods[method].id, id);
        if (scores == nullptr) continue;
        Json& json = metrics[id] = scores_json(*scores);
        json["difference"] = difference_json(analysis.differences[method][i]);
        json["rank"] = or_null(analysis.ranks[method][i]);
    }
    return {{"name", suite.methods[method].name}, {"metrics", std::move(metrics)}};
}

Json plot_json(const Suite& suite, const SuitePlot& plot, const std::vector<PlacedMethod>& placed) {
    Json points = Json::object();
    Json front = Json::array();
    for (const PlacedMethod& one : placed) {
        const std::string& id = suite.methods[one.method].id;
        points[id] = {{"x", one.x},
                      {"y", one.y},
                      {"x_interval", to_json(one.x_interval)},
                      {"y_interval", to_json(one.y_interval)}};
        if (one.on_front) front.push_back(id);
    }
    return {{"x", plot.x}, {"y", plot.y}, {"points", std::move(points)}, {"front", std::move(front)}};
}

Json model_json(const Results& results, std::size_t model) {
    const Suite& suite = results.suite;
    const ModelAnalysis analysis = analyze(results, model);
    const SuiteModel& self = suite.models[model];
    Json methods = Json::object();
    for (std::size_t i = 0; i < suite.methods.size(); ++i)
        methods[suite.methods[i].id] = method_json(results, self, i, analysis);
    Json plots = Json::array();
    for (std::size_t i = 0; i < suite.plots.size(); ++i)
        plots.push_back(plot_json(suite, suite.plots[i], analysis.plots[i]));
    return {{"name", self.name},
            {"matches_published", matches_published(results, self.id)},
            {"methods", std::move(methods)},
            {"plots", std::move(plots)}};
}

Json cell_json(const TableCell& cell, const ReportTable& table, const TableBlock& block,
               const TableColumn& column) {
    Json json{{"metric", column.metric}};
    if (!block.model.empty()) json["model"] = block.model;
    json["value"] = or_null(cell.value);
    if (table.layout == TableLayout::splits) {
        json["second"] = or_null(cell.second);
        json["second_is_best"] = cell.second_is_best;
    } else {
        json["std"] = or_null(cell.deviation);
        json["interval"] = to_json(cell.interval);
    }
    json["is_best"] = cell.is_best;
    json["sign"] = to_json(cell.sign);
    json["difference"] = to_json(cell.difference);
    json["prompts"] = cell.prompts;
    json["is_partial"] = cell.is_partial;
    if (!cell.reason.empty()) json["reason"] = cell.reason;
    if (cell.published) json["published"] = *cell.published;
    if (cell.published_deviation) json["published_std"] = *cell.published_deviation;
    if (cell.published_second) json["published_second"] = *cell.published_second;
    return json;
}

Json table_json(const ReportTable& table) {
    Json rows = Json::array();
    for (const TableRow& row : table.rows) {
        Json cells = Json::array();
        auto cell = row.cells.begin();
        for (const TableBlock& block : table.blocks) {
            for (const TableColumn& column : block.columns)
                cells.push_back(cell_json(*cell++, table, block, column));
        }
        rows.push_back({{"id", row.id}, {"name", row.name}, {"cells", std::move(cells)}});
    }
    return {{"id", table.id},
            {"title", table.title},
            {"layout", name_of(table.layout)},
            {"rows", std::move(rows)}};
}

Json suite_json(const Results& results) {
    const Suite& suite = results.suite;
    Json json{{"name", suite.name},
              {"title", suite.title},
              {"description", suite.description},
              {"settings", settings_in_common(results)},
              {"baseline", suite.baseline},
              {"groups", suite.groups},
              {"seed", suite.seed},
              {"pools_groups", suite.pools_groups}};
    Json& metrics = json["metrics"] = Json::object();
    for (const SuiteMetric& metric : suite.metrics) {
        metrics[metric.id] = {{"name", metric.name},
                              {"metric", metric.metric ? spec_of(*metric.metric).name : "seconds"},
                              {"encoder", text_or_null(metric.encoder)},
                              {"more_is_better", metric.more_is_better}};
    }
    Json& prompts = json["prompts"] = Json::array();
    for (const SuitePrompt& prompt : suite.prompts)
        prompts.push_back({{"index", prompt.index}, {"prompt", prompt.text}, {"name", prompt.name}});
    json["further_prompts"] = suite.further_prompts.size();
    return json;
}

/// As others will read it: NaN, which JSON does not know, is null, and what is no UTF-8 is U+FFFD.
Json readable(const Json& json) {
    return Json::parse(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

Json report_json(const Results& results) {
    const Suite& suite = results.suite;
    Json json{{"schema", "gass.eval/1"},
              {"gass", version()},
              {"suite", suite_json(results)},
              {"groups",
               {{"planned", results.planned},
                {"done", results.done},
                {"failed", results.failures.size()},
                {"missing", missing_groups(results)}}},
              {"models", Json::object()},
              {"real", nullptr},
              {"tables", Json::array()},
              {"published_note", published_note(results)},
              {"failures", Json::array()},
              {"provenance", results.provenance}};
    for (std::size_t i = 0; i < suite.models.size(); ++i)
        json["models"][suite.models[i].id] = model_json(results, i);
    for (const SuiteMetric& metric : suite.metrics) {
        if (const Scores* scores = find_scores(results, "", kReal, metric.id))
            json["real"][metric.id] = scores_json(*scores);
    }
    for (const ReportTable& table : report_tables(results)) json["tables"].push_back(table_json(table));
    for (const Failure& failure : results.failures) {
        json["failures"].push_back({{"model", failure.model},
                                    {"method", failure.method},
                                    {"prompt", failure.prompt},
                                    {"group", failure.group},
                                    {"reason", failure.reason}});
    }
    return readable(json);
}

}  // namespace gass::eval
