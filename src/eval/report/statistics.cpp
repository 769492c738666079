#include "eval/report/statistics.h"

#include "core/optional_number.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gass::eval {
namespace {

constexpr std::size_t kLeastForDeviation = 2;
constexpr std::size_t kLeastForInterval = 3;

std::optional<double> finite(const std::optional<double>& value) {
    return value ? if_finite(*value) : std::nullopt;
}

/// Sorted, so that neither sums nor resamples depend on the order of the prompts.
std::vector<double> sorted_values(const Values& values) {
    std::vector<double> result;
    for (const auto& value : values) {
        if (const auto number = finite(value)) result.push_back(*number);
    }
    std::sort(result.begin(), result.end());
    return result;
}

std::optional<double> mean_of(const std::vector<double>& values) {
    if (values.empty()) return std::nullopt;
    return if_finite(std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size()));
}

std::optional<double> deviation_of(const std::vector<double>& values, double mean) {
    if (values.size() < kLeastForDeviation) return std::nullopt;
    double sum = 0;
    for (const double value : values) sum += (value - mean) * (value - mean);
    return if_finite(std::sqrt(sum / static_cast<double>(values.size() - 1)));
}

std::optional<Interval> finite(const std::optional<Interval>& interval) {
    if (!interval || !std::isfinite(interval->low) || !std::isfinite(interval->high)) return std::nullopt;
    return interval;
}

std::optional<Interval> interval_of(const std::vector<double>& values) {
    if (values.size() < kLeastForInterval) return std::nullopt;
    return finite(std::optional(bootstrap_means(values, kResamples)));
}

std::vector<double> negated(const std::vector<double>& sorted) {
    std::vector<double> result;
    for (auto value = sorted.rbegin(); value != sorted.rend(); ++value) result.push_back(-*value);
    return result;
}

/// The ranks of these values: 1 is the best, ties share the mean of theirs.
std::vector<double> ranks_of(const std::vector<double>& values, bool more_is_better) {
    std::vector<double> ranks;
    for (const double value : values) {
        std::size_t better = 0;
        std::size_t same = 0;
        for (const double other : values) {
            if (more_is_better ? other > value : other < value) ++better;
            if (other == value) ++same;
        }
        ranks.push_back(static_cast<double>(better) + (static_cast<double>(same) + 1) / 2);
    }
    return ranks;
}

/// The values of one prompt under all methods; nothing if one of them has none.
std::optional<std::vector<double>> all_at(const std::vector<Values>& methods, std::size_t prompt) {
    std::vector<double> result;
    for (const Values& values : methods) {
        const auto value = prompt < values.size() ? finite(values[prompt]) : std::nullopt;
        if (!value) return std::nullopt;
        result.push_back(*value);
    }
    return result;
}

}  // namespace

Summary summarize(const Values& values) {
    const std::vector<double> numbers = sorted_values(values);
    Summary summary{.count = numbers.size(), .mean = mean_of(numbers), .deviation = {}, .interval = {}};
    if (!summary.mean) return summary;
    summary.deviation = deviation_of(numbers, *summary.mean);
    summary.interval = interval_of(numbers);
    return summary;
}

int PairedDifference::sign() const {
    if (!interval || pairs < kLeastForSign) return 0;
    if (interval->low > 0) return 1;
    return interval->high < 0 ? -1 : 0;
}

PairedDifference paired_difference(const Values& method, const Values& baseline) {
    Values differences;
    Values first;
    Values second;
    PairedDifference result;
    for (std::size_t i = 0; i < std::min(method.size(), baseline.size()); ++i) {
        const auto a = finite(method[i]);
        const auto b = finite(baseline[i]);
        if (!a || !b) continue;
        ++result.pairs;
        if (*a > *b) ++result.higher;
        if (*a < *b) ++result.lower;
        if (*a == *b) ++result.equal;
        differences.emplace_back(*a - *b);
        first.emplace_back(a);
        second.emplace_back(b);
    }
    std::vector<double> numbers = sorted_values(differences);
    // Resampled one way round, whichever of the two is called the baseline.
    const std::vector<double> other_way = negated(numbers);
    const bool turned = numbers < other_way;
    if (turned) numbers = other_way;
    result.mean = mean_of(numbers);
    result.interval = interval_of(numbers);
    if (turned) {
        if (result.mean) result.mean = -*result.mean;
        if (result.interval) result.interval = Interval{-result.interval->high, -result.interval->low};
    }
    const auto mean = mean_of(sorted_values(first));
    const auto base = mean_of(sorted_values(second));
    if (mean && base && *base > 0) result.ratio = if_finite(*mean / *base - 1);
    return result;
}

std::optional<std::vector<double>> mean_ranks(const std::vector<Values>& methods, bool more_is_better) {
    if (methods.empty()) return std::nullopt;
    std::vector<double> sums(methods.size(), 0.0);
    std::size_t prompts = 0;
    for (std::size_t prompt = 0; prompt < methods.front().size(); ++prompt) {
        const auto values = all_at(methods, prompt);
        if (!values) continue;
        ++prompts;
        const std::vector<double> ranks = ranks_of(*values, more_is_better);
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += ranks[i];
    }
    if (prompts == 0) return std::nullopt;
    for (double& sum : sums) sum /= static_cast<double>(prompts);
    return sums;
}

std::vector<bool> pareto_front(const std::vector<FrontPoint>& points, bool more_x_is_better,
                               bool more_y_is_better) {
    // Turned so that more is better in both.
    std::vector<FrontPoint> turned;
    std::vector<std::size_t> order;
    for (const FrontPoint& point : points) {
        if (!std::isnan(point.x) && !std::isnan(point.y)) order.push_back(turned.size());
        turned.push_back({more_x_is_better ? point.x : -point.x, more_y_is_better ? point.y : -point.y});
    }
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        if (turned[a].x != turned[b].x) return turned[a].x > turned[b].x;
        return turned[a].y > turned[b].y;
    });
    // From the best x on, a point is on the front if its y is above all before, or if it is the same point.
    std::vector<bool> front(points.size(), false);
    const FrontPoint* last = nullptr;
    for (const std::size_t index : order) {
        const FrontPoint& point = turned[index];
        if (last != nullptr && point.y <= last->y && !(point.x == last->x && point.y == last->y)) continue;
        front[index] = true;
        last = &point;
    }
    return front;
}

std::optional<double> value_of(const Scores& scores) {
    if (const auto whole = finite(scores.whole)) return whole;
    return mean_of(sorted_values(scores.prompts));
}

Summary summarize(const Scores& scores) {
    if (!finite(scores.whole)) return summarize(scores.prompts);
    Summary summary;
    summary.mean = scores.whole;
    summary.interval = finite(scores.whole_interval);
    return summary;
}

Values in_split(const Suite& suite, const Values& values, const SuiteSplit& split) {
    Values result;
    for (std::size_t i = 0; i < std::min(values.size(), suite.prompts.size()); ++i) {
        if (is_in(split, suite.prompts[i])) result.push_back(values[i]);
    }
    return result;
}

}  // namespace gass::eval
