#pragma once

#include "core/resampling.h"
#include "eval/report/results.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace gass::eval {

/// Of prompts, in the suite's order. What is not finite counts as missing.
using Values = std::vector<std::optional<double>>;

/// Of every bootstrap here.
inline constexpr std::int64_t kResamples = 2000;

/// Prompts that it takes to call a difference significant. Of five without any difference all point the same
/// way in one of 16 cases, and the bootstrap then takes chance for certainty; of six in one of 32.
inline constexpr std::size_t kLeastForSign = 6;

struct Summary {
    std::size_t count = 0;  ///< prompts with a value
    std::optional<double> mean;
    std::optional<double> deviation;   ///< sample standard deviation over prompts; two or more
    std::optional<Interval> interval;  ///< of the mean, 95 %, bootstrap over prompts; three or more
};

/// The order of the values does not matter, not even to the last digit.
Summary summarize(const Values& values);

/// How far one method is from another on the prompts that both have.
struct PairedDifference {
    std::size_t pairs = 0;
    std::optional<double> mean;   ///< of method − baseline
    std::optional<double> ratio;  ///< mean of method / mean of baseline − 1; none if that is not positive
    std::optional<Interval> interval;  ///< of the mean, 95 %, paired bootstrap over prompts; three or more
    std::size_t higher = 0, lower = 0, equal = 0;  ///< prompts

    /// 1 or −1 if the interval is above or below 0; 0 otherwise, and of fewer pairs than kLeastForSign.
    int sign() const;
};

/// Exchanged, the two give the same with opposite signs, to the last digit.
PairedDifference paired_difference(const Values& method, const Values& baseline);

/// Mean ranks over the prompts that all methods have a value for: 1 is the best, ties share theirs. Nothing
/// without such prompts, or without methods.
std::optional<std::vector<double>> mean_ranks(const std::vector<Values>& methods, bool more_is_better);

struct FrontPoint {
    double x = 0;
    double y = 0;
};

/// Which points no other is at least as good as in both and better in one. NaN is never on the front.
std::vector<bool> pareto_front(const std::vector<FrontPoint>& points, bool more_x_is_better,
                               bool more_y_is_better);

/// The value of all images at once, or the mean over prompts.
std::optional<double> value_of(const Scores& scores);
/// The same with everything around it; `count` is 0 and there is no deviation for a value of all images.
Summary summarize(const Scores& scores);
/// The values of the prompts that belong to a part.
Values in_split(const Suite& suite, const Values& values, const SuiteSplit& split);

}  // namespace gass::eval
