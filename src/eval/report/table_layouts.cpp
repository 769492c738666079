#include "eval/report/table_layouts.h"

#include "core/optional_number.h"
#include "eval/report/statistics.h"
#include "page/shown.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace gass::eval {
namespace {

constexpr std::string_view kNotThere = "none of its groups is there";

ReportTable begun(const SuiteTable& table, std::string corner) {
    ReportTable result;
    result.id = table.id;
    result.title = table.title;
    result.layout = table.layout;
    result.corner = std::move(corner);
    return result;
}

std::vector<TableColumn> columns_of(const Suite& suite, const SuiteTable& table) {
    std::vector<TableColumn> columns;
    for (const std::string& id : table.metrics) {
        if (const SuiteMetric* metric = suite.find_metric(id))
            columns.push_back({id, metric->name, metric->decimals, metric->more_is_better});
    }
    return columns;
}

/// What the paper printed there; null if nothing.
Json published(const SuiteTable& table, std::initializer_list<std::string_view> path) {
    const Json* at = &table.published;
    for (const std::string_view key : path) {
        if (!at->is_object()) return {};
        const auto found = at->find(key);
        if (found == at->end()) return {};
        at = &*found;
    }
    return *at;
}

std::optional<double> number(const Json& json) {
    return json.is_number() ? if_finite(json.get<double>()) : std::nullopt;
}

/// One of two numbers.
std::optional<double> number(const Json& pair, std::size_t place) {
    return pair.is_array() && place < pair.size() ? number(pair[place]) : std::nullopt;
}

/// Its numbers without what others have to do with them.
TableCell cell_of(const Scores* scores) {
    TableCell cell;
    if (scores == nullptr) {
        cell.reason = kNotThere;
        return cell;
    }
    const Summary summary = summarize(*scores);
    cell.value = summary.mean;
    cell.deviation = summary.deviation;
    cell.interval = summary.interval;
    cell.prompts = summary.count;
    if (!cell.value) cell.reason = scores->reason.empty() ? kNotThere : scores->reason;
    return cell;
}

void put_difference(TableCell& cell, const PairedDifference& difference, bool more_is_better) {
    cell.difference = difference.interval;
    cell.sign = sign_for(difference, more_is_better);
}

void mark_best(ReportTable& table) {
    const std::vector<const TableColumn*> columns = table.columns();
    for (std::size_t i = 0; i < columns.size(); ++i) {
        std::size_t most = 0;
        for (const TableRow& row : table.rows) most = std::max(most, row.cells[i].prompts);
        std::vector<std::optional<double>> values;
        for (TableRow& row : table.rows) {
            TableCell& cell = row.cells[i];
            // Without the harder prompts anyone would look better.
            cell.is_partial = cell.value && cell.prompts < most;
            values.push_back(cell.is_partial ? std::nullopt : cell.value);
        }
        const auto best = page::best_of(values, columns[i]->decimals, columns[i]->more_is_better);
        for (std::size_t row = 0; row < best.size(); ++row) table.rows[row].cells[i].is_best = best[row];
    }
}

bool has_published(const ReportTable& table) {
    return std::any_of(table.rows.begin(), table.rows.end(), [](const TableRow& row) {
        return std::any_of(row.cells.begin(), row.cells.end(), [](const TableCell& cell) {
            return cell.published || cell.published_deviation || cell.published_second;
        });
    });
}

ReportTable finished(ReportTable table) {
    if (table.layout != TableLayout::splits) mark_best(table);
    table.has_published = has_published(table);
    return table;
}

TableCell method_cell(const Results& results, const SuiteTable& table, const std::string& model,
                      const std::string& method, const TableColumn& column) {
    const std::string& baseline = results.suite.baseline;
    const Scores* scores = find_scores(results, model, method, column.metric);
    const Scores* base = find_scores(results, model, baseline, column.metric);
    TableCell cell = cell_of(scores);
    if (scores != nullptr && base != nullptr && method != baseline)
        put_difference(cell, paired_difference(scores->prompts, base->prompts), column.more_is_better);
    if (matches_published(results, model))
        cell.published = number(published(table, {model, method, column.metric}));
    return cell;
}

TableRow source_row(const Results& results, const SuiteTable& table, const std::string& method,
                    std::string id, std::string name, const std::vector<TableColumn>& columns) {
    const bool is_real = id == kReal;
    // The real pictures are the same whatever the models are.
    const bool with_published =
        is_real ? std::any_of(table.models.begin(), table.models.end(),
                              [&](const std::string& model) { return matches_published(results, model); })
                : matches_published(results, id);
    TableRow row{.id = std::move(id), .name = std::move(name), .after_rule = false, .cells = {}};
    for (const TableColumn& column : columns) {
        TableCell cell =
            cell_of(find_scores(results, row.id, is_real ? kReal : std::string_view(method), column.metric));
        if (with_published) {
            const Json printed = published(table, {row.id, column.metric});
            cell.published = number(printed, 0);
            cell.published_deviation = number(printed, 1);
        }
        row.cells.push_back(std::move(cell));
    }
    return row;
}

/// Both means are over the prompts that both have: the arrow stands for the method alone.
TableCell split_cell(const Results& results, const SuiteTable& table, const SuiteSplit& split,
                     const TableColumn& column) {
    const std::string& model = table.models.front();
    const Scores* before = find_scores(results, model, results.suite.baseline, column.metric);
    const Scores* after = find_scores(results, model, table.methods.front(), column.metric);
    TableCell cell;
    if (before != nullptr && after != nullptr) {
        Values first = in_split(results.suite, before->prompts, split);
        Values second = in_split(results.suite, after->prompts, split);
        const std::size_t both = std::min(first.size(), second.size());
        first.resize(both);
        second.resize(both);
        for (std::size_t i = 0; i < both; ++i) {
            if (!first[i] || !second[i]) first[i] = second[i] = std::nullopt;
        }
        const PairedDifference difference = paired_difference(second, first);
        cell.value = summarize(first).mean;
        cell.second = summarize(second).mean;
        cell.prompts = difference.pairs;
        put_difference(cell, difference, column.more_is_better);
    }
    if (!cell.value) {
        const bool is_whole = before != nullptr && before->whole;
        cell.reason = is_whole ? "all images at once have one value, parts of the prompts have none"
                               : "no prompt of this part has a value under both";
    }
    const auto best = page::best_of({cell.value, cell.second}, column.decimals, column.more_is_better);
    cell.is_best = best[0];
    cell.second_is_best = best[1];
    if (matches_published(results, model)) {
        const Json printed = published(table, {split.id, column.metric});
        cell.published = number(printed, 0);
        cell.published_second = number(printed, 1);
    }
    return cell;
}

}  // namespace

ReportTable methods_table(const Results& results, const SuiteTable& table) {
    const Suite& suite = results.suite;
    ReportTable result = begun(table, "Methods");
    const std::vector<TableColumn> columns = columns_of(suite, table);
    for (const std::string& id : table.models) {
        const SuiteModel* model = suite.find_model(id);
        if (model == nullptr) continue;
        result.blocks.push_back({id, suite.models.size() > 1 ? model->name : "", columns});
    }
    bool after_rule = false;
    for (const std::string& id : table.methods) {
        if (id.empty()) {
            after_rule = !result.rows.empty();
            continue;
        }
        const SuiteMethod* method = suite.find_method(id);
        if (method == nullptr) continue;
        TableRow row{.id = id, .name = method->name, .after_rule = after_rule, .cells = {}};
        after_rule = false;
        for (const TableBlock& block : result.blocks) {
            for (const TableColumn& column : columns)
                row.cells.push_back(method_cell(results, table, block.model, id, column));
        }
        result.rows.push_back(std::move(row));
    }
    return finished(std::move(result));
}

ReportTable sources_table(const Results& results, const SuiteTable& table) {
    ReportTable result = begun(table, "Img Source");
    result.method = table.methods.empty() ? results.suite.baseline : table.methods.front();
    result.blocks.push_back({"", "", columns_of(results.suite, table)});
    for (const std::string& id : table.models) {
        if (const SuiteModel* model = results.suite.find_model(id))
            result.rows.push_back(
                source_row(results, table, result.method, id, model->name, result.blocks[0].columns));
    }
    if (!results.real.empty())
        result.rows.push_back(
            source_row(results, table, result.method, std::string(kReal), "Real", result.blocks[0].columns));
    return finished(std::move(result));
}

ReportTable splits_table(const Results& results, const SuiteTable& table) {
    ReportTable result = begun(table, "Prompt");
    result.blocks.push_back({"", "", columns_of(results.suite, table)});
    if (table.models.empty() || table.methods.empty()) return result;
    result.blocks[0].model = table.models.front();
    result.method = table.methods.front();
    for (const SuiteSplit& split : results.suite.splits) {
        TableRow row{.id = split.id, .name = split.name, .after_rule = false, .cells = {}};
        for (const TableColumn& column : result.blocks[0].columns)
            row.cells.push_back(split_cell(results, table, split, column));
        result.rows.push_back(std::move(row));
    }
    return finished(std::move(result));
}

}  // namespace gass::eval
