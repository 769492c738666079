#include "eval/report/analysis.h"

#include <algorithm>

namespace gass::eval {
namespace {

const Scores& scores_of(const Results& results, const SuiteModel& model, const SuiteMethod& method,
                        std::string_view metric) {
    static const Scores kNone;
    const Scores* scores = find_scores(results, model.id, method.id, metric);
    return scores == nullptr ? kNone : *scores;
}

std::vector<std::optional<double>> ranks_of(const Results& results, const SuiteModel& model,
                                            const SuiteMetric& metric) {
    std::vector<Values> values;
    std::vector<std::size_t> places;
    const std::vector<SuiteMethod>& methods = results.suite.methods;
    for (std::size_t i = 0; i < methods.size(); ++i) {
        const Values& prompts = scores_of(results, model, methods[i], metric.id).prompts;
        if (std::none_of(prompts.begin(), prompts.end(), [](const auto& one) { return one.has_value(); }))
            continue;
        values.push_back(prompts);
        places.push_back(i);
    }
    std::vector<std::optional<double>> result(methods.size());
    if (const auto ranks = mean_ranks(values, metric.more_is_better)) {
        for (std::size_t i = 0; i < places.size(); ++i) result[places[i]] = (*ranks)[i];
    }
    return result;
}

std::vector<PlacedMethod> placed(const Results& results, const SuiteModel& model, const SuitePlot& plot) {
    const Suite& suite = results.suite;
    const SuiteMetric* x_metric = suite.find_metric(plot.x);
    const SuiteMetric* y_metric = suite.find_metric(plot.y);
    if (x_metric == nullptr || y_metric == nullptr) return {};
    std::vector<PlacedMethod> result;
    std::vector<FrontPoint> points;
    for (std::size_t i = 0; i < suite.methods.size(); ++i) {
        const Summary x = summarize(scores_of(results, model, suite.methods[i], plot.x));
        const Summary y = summarize(scores_of(results, model, suite.methods[i], plot.y));
        if (!x.mean || !y.mean) continue;
        result.push_back({i, *x.mean, *y.mean, x.interval, y.interval});
        points.push_back({*x.mean, *y.mean});
    }
    const auto front = pareto_front(points, x_metric->more_is_better, y_metric->more_is_better);
    for (std::size_t i = 0; i < result.size(); ++i) result[i].on_front = front[i];
    return result;
}

}  // namespace

ModelAnalysis analyze(const Results& results, std::size_t model) {
    const Suite& suite = results.suite;
    const SuiteModel& self = suite.models[model];
    ModelAnalysis analysis;
    analysis.differences.resize(suite.methods.size(), std::vector<PairedDifference>(suite.metrics.size()));
    analysis.ranks.resize(suite.methods.size(), std::vector<std::optional<double>>(suite.metrics.size()));
    const SuiteMethod* baseline = suite.find_method(suite.baseline);
    for (std::size_t metric = 0; metric < suite.metrics.size(); ++metric) {
        const auto ranks = ranks_of(results, self, suite.metrics[metric]);
        for (std::size_t method = 0; method < suite.methods.size(); ++method) {
            analysis.ranks[method][metric] = ranks[method];
            if (baseline == nullptr || &suite.methods[method] == baseline) continue;
            const std::string& id = suite.metrics[metric].id;
            analysis.differences[method][metric] =
                paired_difference(scores_of(results, self, suite.methods[method], id).prompts,
                                  scores_of(results, self, *baseline, id).prompts);
        }
    }
    for (const SuitePlot& plot : suite.plots) analysis.plots.push_back(placed(results, self, plot));
    return analysis;
}

}  // namespace gass::eval
