#include "core/quote.h"
#include "eval/report/report_html_parts.h"
#include "eval/report/report_words.h"
#include "page/html.h"
#include "page/shown.h"

#include <fmt/format.h>

namespace gass::eval {
namespace {

using page::isolated;
using page::shown;

std::string title_of(const Suite& suite, std::size_t method) {
    return page::method_title(method, page::beginning(suite.methods[method].name, 120));
}

std::string difference_cell(const PairedDifference& difference, const SuiteMetric& metric) {
    if (!difference.mean) return "<td>–</td>";
    const int decimals = metric.decimals + kMoreDecimals;
    std::string out = fmt::format("<td>{}{}", shown_difference(*difference.mean, decimals),
                                  sign_mark(sign_for(difference, metric.more_is_better)));
    if (difference.ratio) out += fmt::format("<small>{}</small>", shown_ratio(*difference.ratio));
    if (difference.interval)
        out += fmt::format("<small>[{}]</small>", shown_interval(*difference.interval, decimals));
    return out + fmt::format("<small>{}\u2009/\u2009{}\u2009/\u2009{}</small></td>", difference.higher,
                             difference.lower, difference.equal);
}

/// The metrics that some method has a difference for.
std::vector<std::size_t> differing_metrics(const ModelAnalysis& analysis, std::size_t metrics) {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < metrics; ++i) {
        for (const auto& differences : analysis.differences) {
            if (!differences[i].mean) continue;
            result.push_back(i);
            break;
        }
    }
    return result;
}

std::string head_of(const Suite& suite, const std::vector<std::size_t>& metrics, std::string_view classes) {
    std::string out = fmt::format("<table class=\"{}\"><thead><tr><th scope=\"col\">Methods</th>", classes);
    for (const std::size_t i : metrics) {
        out += fmt::format("<th scope=\"col\">{} {}</th>", isolated(suite.metrics[i].name),
                           suite.metrics[i].more_is_better ? "↑" : "↓");
    }
    return out + "</tr></thead><tbody>\n";
}

std::string differences_table(const Results& results, const ModelAnalysis& analysis) {
    const Suite& suite = results.suite;
    const std::vector<std::size_t> metrics = differing_metrics(analysis, suite.metrics.size());
    if (metrics.empty()) return {};
    std::string table = head_of(suite, metrics, "report signed");
    for (std::size_t method = 0; method < suite.methods.size(); ++method) {
        if (suite.methods[method].id == suite.baseline) continue;
        table += fmt::format("<tr><th scope=\"row\">{}</th>", title_of(suite, method));
        for (const std::size_t i : metrics)
            table += difference_cell(analysis.differences[method][i], suite.metrics[i]);
        table += "</tr>\n";
    }
    const std::string title = fmt::format("Differences to {}", method_name(suite, suite.baseline));
    const std::string too_few = too_few_prompts(suite);
    return fmt::format(
        "<h3>{}</h3>\n{}<p class=\"note table-note\">Mean over prompts, in percent, 95 % interval, and on "
        "how many prompts the method is higher\u2009/\u2009lower\u2009/\u2009equal. {}</p>\n",
        isolated(title), page::scroll_box(title, table + "</tbody></table>"),
        too_few.empty() ? "▲ significantly better, ▼ significantly worse." : too_few);
}

std::string ranks_table(const Suite& suite, const ModelAnalysis& analysis) {
    const std::vector<std::size_t> metrics = ranked_metrics(analysis);
    if (metrics.empty()) return {};
    std::string table = head_of(suite, metrics, "report");
    std::vector<std::vector<bool>> best;
    for (const std::size_t i : metrics) {
        std::vector<std::optional<double>> ranks;
        for (const auto& of_method : analysis.ranks) ranks.push_back(of_method[i]);
        best.push_back(page::best_of(ranks, kRankDecimals, false));
    }
    for (std::size_t method = 0; method < suite.methods.size(); ++method) {
        table += fmt::format("<tr><th scope=\"row\">{}</th>", title_of(suite, method));
        for (std::size_t i = 0; i < metrics.size(); ++i) {
            const std::string text = shown(analysis.ranks[method][metrics[i]], kRankDecimals);
            table += best[i][method] ? fmt::format("<td><strong>{}</strong></td>", text)
                                     : fmt::format("<td>{}</td>", text);
        }
        table += "</tr>\n";
    }
    return "<h3>Mean ranks</h3>\n" + page::scroll_box("Mean ranks", table + "</tbody></table>") +
           "<p class=\"note table-note\">1 is the best method of a prompt; bold: the best of a column.</p>\n";
}

std::string plots(const Results& results, const ModelAnalysis& analysis, const TextPainter& painter) {
    const Suite& suite = results.suite;
    std::string out;
    for (std::size_t i = 0; i < suite.plots.size(); ++i) {
        const std::string plot = front_plot(suite, suite.plots[i], analysis.plots[i], painter);
        if (plot.empty()) continue;
        out += fmt::format("<div class=\"panel\">{}<p class=\"note\">Pareto front of {}.</p></div>\n", plot,
                           isolated(front_line(suite, suite.plots[i], analysis.plots[i])));
    }
    if (out.empty()) return {};
    return "<h3>Trade-offs</h3>\n<div class=\"plots\">" + out +
           "</div>\n<p class=\"note table-note\">Arrows at the axes point to the better. Ringed and joined: "
           "the Pareto front. "
           "Whiskers: 95 % intervals of the means.</p>\n";
}

}  // namespace

std::string model_section(const Results& results, std::size_t model, const TextPainter& painter) {
    const ModelAnalysis analysis = analyze(results, model);
    const SuiteModel& self = results.suite.models[model];
    return fmt::format("<section id=\"model-{}\"><h2>{}</h2>\n{}{}{}</section>\n", xml_escaped(self.id),
                       isolated(self.name), plots(results, analysis, painter),
                       differences_table(results, analysis), ranks_table(results.suite, analysis));
}

}  // namespace gass::eval
