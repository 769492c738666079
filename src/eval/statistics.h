#pragma once

#include "core/resampling.h"
#include "eval/results.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gass::eval {

using Values = std::vector<std::optional<double>>;

struct Summary {
    std::size_t count = 0;  ///< prompts with a value
    std::optional<double> mean;
    std::optional<double> deviation;   ///< sample standard deviation over prompts; two or more
    std::optional<Interval> interval;  ///< of the mean, 95 %, bootstrap over prompts; three or more
};

Summary summarize(const Values& values);

/// How far one method is from another on the prompts that both have.
struct PairedDifference {
    std::size_t pairs = 0;
    std::optional<double> mean;   ///< of method − baseline
    std::optional<double> ratio;  ///< mean of method / mean of baseline − 1; none if that is not positive
    std::optional<Interval> interval;  ///< of the mean, 95 %, paired bootstrap over prompts; three or more
    std::size_t higher = 0, lower = 0, equal = 0;  ///< prompts

    /// 1 or −1 if the interval is above or below 0; 0 otherwise.
    int sign() const;
};

PairedDifference paired_difference(const Values& method, const Values& baseline);

/// Mean ranks over the prompts that all methods have a value for: 1 is the best, ties share theirs. Nothing
/// without such prompts.
std::optional<std::vector<double>> mean_ranks(const std::vector<Values>& methods, bool more_is_better);

/// Which points no other is at least as good as in both and better in one. NaN is never on the front.
struct FrontPoint {
    double x = 0;
    double y = 0;
};
std::vector<bool> pareto_front(const std::vector<FrontPoint>& points, bool more_x_is_better,
                               bool more_y_is_better);

/// The value of a cell: the mean over prompts (of those in a split, if one is given) or the whole one.
std::optional<double> value_of(const Scores& scores);
Values in_split(const Results& results, const Scores& scores, const SuiteSplit& split);

}  // namespace gass::eval
