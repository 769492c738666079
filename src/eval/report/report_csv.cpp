#include "core/optional_number.h"
#include "core/quote.h"
#include "eval/report/report.h"
#include "eval/report/table.h"

#include <fmt/format.h>

namespace gass::eval {
namespace {

class Rows {
  public:
    Rows() { out_ = fmt::format("model,method,metric,kind,prompt,name,value,reason{}", kCsvLineEnd); }

    /// A row for each prompt, or one of all images.
    void add(const Suite& suite, std::string_view model, std::string_view method, const SuiteMetric& metric,
             const Scores& scores) {
        if (scores.whole || scores.prompts.empty()) {
            put(model, method, metric.id, "whole", "", "", scores.whole, scores.reason);
            return;
        }
        for (std::size_t i = 0; i < suite.prompts.size(); ++i) {
            const SuitePrompt& prompt = suite.prompts[i];
            const auto value = i < scores.prompts.size() ? scores.prompts[i] : std::nullopt;
            put(model, method, metric.id, "prompt", std::to_string(prompt.index), prompt.name, value,
                value ? "" : scores.reason);
        }
    }

    /// What the paper printed: a row for each number that is shown; `name` tells the table, and its part.
    void add_published(const Suite& suite, const ReportTable& table) {
        for (const TableRow& row : table.rows) {
            auto cell = row.cells.begin();
            for (const TableBlock& block : table.blocks) {
                for (const TableColumn& column : block.columns)
                    add_published(suite, table, row, block, column, *cell++);
            }
        }
    }

    std::string text() const { return out_; }

  private:
    void add_published(const Suite& suite, const ReportTable& table, const TableRow& row,
                       const TableBlock& block, const TableColumn& column, const TableCell& cell) {
        const auto put_if_there = [&](std::string_view model, std::string_view method, std::string_view kind,
                                      const std::string& name, const std::optional<double>& value) {
            if (value) put(model, method, column.metric, kind, "", name, value, "");
        };
        switch (table.layout) {
            case TableLayout::methods:
                put_if_there(block.model, row.id, "published", table.id, cell.published);
                break;
            case TableLayout::sources: {
                const bool is_real = row.id == kReal;
                const std::string_view model = is_real ? "" : std::string_view(row.id);
                const std::string_view method = is_real ? kReal : std::string_view(table.method);
                put_if_there(model, method, "published", table.id, cell.published);
                put_if_there(model, method, "published_std", table.id, cell.published_deviation);
                break;
            }
            case TableLayout::splits: {
                const std::string name = table.id + "/" + row.id;
                put_if_there(block.model, suite.baseline, "published", name, cell.published);
                put_if_there(block.model, table.method, "published", name, cell.published_second);
                break;
            }
        }
    }

    void put(std::string_view model, std::string_view method, std::string_view metric, std::string_view kind,
             std::string_view prompt, std::string_view name, const std::optional<double>& value,
             std::string_view reason) {
        const auto finite = value ? if_finite(*value) : std::nullopt;
        out_ +=
            fmt::format("{},{},{},{},{},{},{},{}{}", csv_field(model), csv_field(method), csv_field(metric),
                        kind, prompt, csv_field(name), or_empty(finite), csv_field(reason), kCsvLineEnd);
    }

    std::string out_;
};

}  // namespace

std::string report_csv(const Results& results) {
    const Suite& suite = results.suite;
    Rows rows;
    for (const SuiteModel& model : suite.models) {
        for (const SuiteMethod& method : suite.methods) {
            for (const SuiteMetric& metric : suite.metrics) {
                if (const Scores* scores = find_scores(results, model.id, method.id, metric.id))
                    rows.add(suite, model.id, method.id, metric, *scores);
            }
        }
    }
    for (const SuiteMetric& metric : suite.metrics) {
        if (const Scores* scores = find_scores(results, "", kReal, metric.id))
            rows.add(suite, "", kReal, metric, *scores);
    }
    for (const ReportTable& table : report_tables(results)) rows.add_published(suite, table);
    return rows.text();
}

}  // namespace gass::eval
