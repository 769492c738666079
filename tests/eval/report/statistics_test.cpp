// Means, intervals, differences, ranks and fronts, against their definitions.

#include "eval/report/statistics.h"

#include "core/resampling.h"
#include "eval/report/sample_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace gass::eval {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Multiples of 1/8 within ±16: sums of them are exact, whatever their order.
double arbitrary_number() {
    return *rc::gen::inRange(-128, 129) / 8.0;
}

std::vector<double> arbitrary_numbers(std::size_t least, std::size_t most) {
    std::vector<double> numbers(*rc::gen::inRange(least, most + 1));
    for (double& number : numbers) number = arbitrary_number();
    return numbers;
}

Values all_of(const std::vector<double>& numbers) {
    return {numbers.begin(), numbers.end()};
}

/// A third of them missing.
Values arbitrary_values(std::size_t count) {
    Values values(count);
    for (auto& value : values) {
        if (*rc::gen::inRange(0, 3) > 0) value = arbitrary_number();
    }
    return values;
}

Values shuffled(Values values, std::uint64_t seed) {
    std::shuffle(values.begin(), values.end(), std::mt19937_64(seed));
    return values;
}

void expect_same(const std::optional<Interval>& a, const std::optional<Interval>& b) {
    ASSERT_EQ(a.has_value(), b.has_value());
    if (!a) return;
    EXPECT_EQ(a->low, b->low);
    EXPECT_EQ(a->high, b->high);
}

TEST(Summary, IsWhatOneComputesByHand) {
    const Summary summary = summarize(Values{2.0, std::nullopt, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0});
    EXPECT_EQ(summary.count, 8U);
    EXPECT_THAT(summary.mean, Optional(5.0));
    // The squares of the distances to 5 are 9, 1, 1, 1, 0, 0, 4, 16: together 32, over 7.
    EXPECT_THAT(summary.deviation, Optional(DoubleNear(std::sqrt(32.0 / 7.0), 1e-15)));
    ASSERT_TRUE(summary.interval);
    EXPECT_GT(summary.interval->low, 3.4);
    EXPECT_LT(summary.interval->low, 4.2);
    EXPECT_GT(summary.interval->high, 5.8);
    EXPECT_LT(summary.interval->high, 6.8);
}

TEST(Summary, HasOnlyWhatSoFewValuesAllow) {
    EXPECT_EQ(summarize(Values{}).count, 0U);
    EXPECT_FALSE(summarize(Values{}).mean);
    EXPECT_FALSE(summarize(Values{std::nullopt}).mean);
    const Summary one = summarize(Values{3.0});
    EXPECT_THAT(one.mean, Optional(3.0));
    EXPECT_FALSE(one.deviation);
    const Summary two = summarize(Values{3.0, 5.0});
    EXPECT_THAT(two.deviation, Optional(DoubleNear(std::sqrt(2.0), 1e-15)));
    EXPECT_FALSE(two.interval);
    EXPECT_TRUE(summarize(Values{3.0, 5.0, 4.0}).interval);
}

TEST(Summary, CountsWhatIsNotFiniteAsMissing) {
    const Summary summary = summarize(Values{1.0, kNotANumber, 3.0, kInfinity, -kInfinity});
    EXPECT_EQ(summary.count, 2U);
    EXPECT_THAT(summary.mean, Optional(2.0));
    const double largest = std::numeric_limits<double>::max();
    EXPECT_FALSE(summarize(Values{largest, largest, largest}).mean);
}

TEST(Summary, OfAllImagesAtOnceIsThatValue) {
    Scores scores;
    scores.whole = 12.5;
    scores.whole_interval = Interval{12, 13.5};
    const Summary summary = summarize(scores);
    EXPECT_THAT(summary.mean, Optional(12.5));
    EXPECT_EQ(summary.count, 0U);
    expect_same(summary.interval, Interval{12, 13.5});
    EXPECT_THAT(value_of(scores), Optional(12.5));
    scores.whole_interval = Interval{12, kInfinity};
    EXPECT_FALSE(summarize(scores).interval);
    scores.whole = kNotANumber;
    EXPECT_FALSE(value_of(scores));
}

RC_GTEST_PROP(Summary, DoesNotKnowTheOrder, ()) {
    const Values values = arbitrary_values(*rc::gen::inRange(0, 30));
    const Summary one = summarize(values);
    const Summary other = summarize(shuffled(values, *rc::gen::arbitrary<std::uint64_t>()));
    RC_ASSERT(one.count == other.count);
    RC_ASSERT(one.mean == other.mean);
    RC_ASSERT(one.deviation == other.deviation);
    expect_same(one.interval, other.interval);
}

RC_GTEST_PROP(Summary, MovesAndGrowsWithItsValues, ()) {
    const std::vector<double> numbers = arbitrary_numbers(3, 20);
    const double shift = arbitrary_number();
    const double scale = *rc::gen::inRange(1, 9);
    Values moved;
    for (const double number : numbers) moved.emplace_back(scale * number + shift);
    const Summary before = summarize(all_of(numbers));
    const Summary after = summarize(moved);
    RC_ASSERT(std::abs(*after.mean - (scale * *before.mean + shift)) < 1e-12);
    RC_ASSERT(std::abs(*after.deviation - scale * *before.deviation) < 1e-9);
    RC_ASSERT(std::abs(after.interval->low - (scale * before.interval->low + shift)) < 1e-9);
    RC_ASSERT(std::abs(after.interval->high - (scale * before.interval->high + shift)) < 1e-9);
}

RC_GTEST_PROP(Summary, IntervalLiesAmongTheValuesAroundTheMean, ()) {
    const std::vector<double> numbers = arbitrary_numbers(3, 20);
    const Summary summary = summarize(all_of(numbers));
    const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
    RC_ASSERT(*least <= summary.interval->low);
    RC_ASSERT(summary.interval->high <= *most);
    RC_ASSERT(summary.interval->low <= *summary.mean + 1e-12);
    RC_ASSERT(*summary.mean <= summary.interval->high + 1e-12);
}

TEST(Summary, IntervalIsAsWideAsTheNormalOneOfManyValues) {
    std::mt19937_64 engine(7);
    Values values;
    for (int i = 0; i < 400; ++i) values.emplace_back(static_cast<double>(engine() % 1000) / 1000);
    const Summary summary = summarize(values);
    const double half = 1.96 * *summary.deviation / std::sqrt(400.0);
    EXPECT_NEAR(summary.interval->low, *summary.mean - half, 0.1 * half);
    EXPECT_NEAR(summary.interval->high, *summary.mean + half, 0.1 * half);
}

TEST(PairedDifference, IsWhatOneComputesByHand) {
    const PairedDifference difference =
        paired_difference(Values{2.0, 5.0, std::nullopt, 4.0, 1.0}, Values{1.0, 5.0, 3.0, 2.0, 2.0});
    EXPECT_EQ(difference.pairs, 4U);
    EXPECT_THAT(difference.mean, Optional(0.5));
    EXPECT_THAT(difference.ratio, Optional(DoubleNear(12.0 / 10.0 - 1, 1e-15)));
    EXPECT_EQ(difference.higher, 2U);
    EXPECT_EQ(difference.lower, 1U);
    EXPECT_EQ(difference.equal, 1U);
    EXPECT_EQ(difference.sign(), 0);
}

TEST(PairedDifference, SeesWhatUnpairedIntervalsHide) {
    // The prompts differ by 100, the methods by about 1 on each of them.
    const PairedDifference difference = paired_difference(Values{1.0, 101.5, 200.75, 301.0, 401.5, 500.75},
                                                          Values{0.0, 100.0, 200.0, 300.0, 400.0, 500.0});
    EXPECT_EQ(difference.sign(), 1);
    EXPECT_NEAR(difference.interval->low, 0.85, 0.1);
}

TEST(PairedDifference, CallsNothingSignificantThatChanceDoesTooOften) {
    Values method;
    Values baseline;
    for (int prompt = 1; prompt <= 8; ++prompt) {
        method.emplace_back(prompt + 1.0);
        baseline.emplace_back(prompt);
        const PairedDifference difference = paired_difference(method, baseline);
        EXPECT_EQ(difference.interval.has_value(), prompt >= 3);
        EXPECT_EQ(difference.sign(), prompt >= 6 ? 1 : 0) << prompt << " that all point the same way";
        EXPECT_EQ(paired_difference(baseline, method).sign(), prompt >= 6 ? -1 : 0);
    }
    method[0].reset();
    method[1].reset();
    method[2].reset();
    EXPECT_EQ(paired_difference(method, baseline).sign(), 0) << "of five pairs";
}

TEST(PairedDifference, HasNoRatioToWhatIsNotPositive) {
    EXPECT_FALSE(paired_difference(Values{1.0, 2.0}, Values{0.0, 0.0}).ratio);
    EXPECT_FALSE(paired_difference(Values{1.0, 2.0}, Values{-1.0, 0.5}).ratio);
    EXPECT_FALSE(paired_difference(Values{}, Values{1.0}).mean);
    EXPECT_EQ(paired_difference(Values{1.0, 1.0}, Values{0.0, 0.0}).sign(), 0) << "two are too few";
}

RC_GTEST_PROP(PairedDifference, IsAntisymmetric, ()) {
    const auto count = *rc::gen::inRange<std::size_t>(0, 20);
    const Values a = arbitrary_values(count);
    const Values b = arbitrary_values(count);
    const PairedDifference one = paired_difference(a, b);
    const PairedDifference other = paired_difference(b, a);
    RC_ASSERT(one.pairs == other.pairs);
    RC_ASSERT(one.higher == other.lower);
    RC_ASSERT(one.lower == other.higher);
    RC_ASSERT(one.equal == other.equal);
    RC_ASSERT(one.sign() == -other.sign());
    RC_ASSERT(one.mean.has_value() == (one.pairs > 0));
    if (one.mean) RC_ASSERT(*one.mean == -*other.mean);
    RC_ASSERT(one.interval.has_value() == (one.pairs >= 3));
    if (one.interval) {
        RC_ASSERT(one.interval->low == -other.interval->high);
        RC_ASSERT(one.interval->high == -other.interval->low);
    }
}

RC_GTEST_PROP(PairedDifference, LooksOnlyAtPromptsThatBothHave, ()) {
    const auto count = *rc::gen::inRange<std::size_t>(0, 20);
    const Values a = arbitrary_values(count);
    const Values b = arbitrary_values(count);
    Values both_a;
    Values both_b;
    for (std::size_t i = 0; i < count; ++i) {
        if (!a[i] || !b[i]) continue;
        both_a.push_back(a[i]);
        both_b.push_back(b[i]);
    }
    const PairedDifference all = paired_difference(a, b);
    const PairedDifference both = paired_difference(both_a, both_b);
    RC_ASSERT(all.pairs == both_a.size());
    RC_ASSERT(all.mean == both.mean);
    RC_ASSERT(all.ratio == both.ratio);
    expect_same(all.interval, both.interval);
}

RC_GTEST_PROP(PairedDifference, IsTheSummaryOfTheDifferencesOneWayRound, ()) {
    const std::vector<double> a = arbitrary_numbers(3, 20);
    Values b;
    Values differences;
    Values turned;
    for (const double number : a) {
        b.emplace_back(arbitrary_number());
        differences.emplace_back(number - *b.back());
        turned.emplace_back(*b.back() - number);
    }
    const PairedDifference difference = paired_difference(all_of(a), b);
    const Interval one = *summarize(differences).interval;
    const Interval other = *summarize(turned).interval;
    RC_ASSERT(difference.mean == summarize(differences).mean);
    const bool is_one = difference.interval->low == one.low && difference.interval->high == one.high;
    const bool is_other = difference.interval->low == -other.high && difference.interval->high == -other.low;
    RC_ASSERT(is_one || is_other);
}

TEST(MeanRanks, ShareTies) {
    const std::vector<Values> methods{{3.0, 1.0, kNotANumber}, {2.0, 1.0, 9.0}, {2.0, 5.0, 9.0}};
    EXPECT_THAT(mean_ranks(methods, true), Optional(ElementsAre(1.75, 2.5, 1.75)));
    EXPECT_THAT(mean_ranks(methods, false), Optional(ElementsAre(2.25, 1.5, 2.25)));
}

TEST(MeanRanks, NeedAPromptThatAllHave) {
    EXPECT_FALSE(mean_ranks({{1.0, std::nullopt}, {std::nullopt, 2.0}}, true));
    EXPECT_FALSE(mean_ranks({}, true));
    EXPECT_FALSE(mean_ranks({{}, {}}, true));
    EXPECT_FALSE(mean_ranks({{1.0}, {}}, true));
}

RC_GTEST_PROP(MeanRanks, SumToTheSameAndTurnWithTheDirection, ()) {
    const auto count = *rc::gen::inRange<std::size_t>(1, 8);
    const auto prompts = *rc::gen::inRange<std::size_t>(1, 10);
    std::vector<Values> methods;
    for (std::size_t i = 0; i < count; ++i) {
        methods.emplace_back();
        for (std::size_t j = 0; j < prompts; ++j) methods.back().emplace_back(*rc::gen::inRange(0, 4));
    }
    const auto ranks = mean_ranks(methods, true);
    const auto turned = mean_ranks(methods, false);
    RC_ASSERT(ranks && turned);
    const double sum = std::accumulate(ranks->begin(), ranks->end(), 0.0);
    const auto n = static_cast<double>(count);
    RC_ASSERT(std::abs(sum - n * (n + 1) / 2) < 1e-9);
    for (std::size_t i = 0; i < count; ++i) RC_ASSERT(std::abs((*ranks)[i] + (*turned)[i] - (n + 1)) < 1e-9);
}

RC_GTEST_PROP(ParetoFront, IsItsDefinition, ()) {
    const auto count = *rc::gen::inRange<std::size_t>(0, 24);
    const bool more_x = *rc::gen::arbitrary<bool>();
    const bool more_y = *rc::gen::arbitrary<bool>();
    std::vector<FrontPoint> points(count);
    for (FrontPoint& point : points) {
        point = {static_cast<double>(*rc::gen::inRange(0, 8)), static_cast<double>(*rc::gen::inRange(0, 8))};
        if (*rc::gen::inRange(0, 10) == 0) point.x = kNotANumber;
        if (*rc::gen::inRange(0, 10) == 0) point.y = kNotANumber;
    }
    const auto at_least = [](double a, double b, bool more) { return more ? a >= b : a <= b; };
    const std::vector<bool> front = pareto_front(points, more_x, more_y);
    RC_ASSERT(front.size() == count);
    for (std::size_t i = 0; i < count; ++i) {
        const FrontPoint& point = points[i];
        bool expected = !std::isnan(point.x) && !std::isnan(point.y);
        for (const FrontPoint& other : points) {
            if (at_least(other.x, point.x, more_x) && at_least(other.y, point.y, more_y) &&
                (other.x != point.x || other.y != point.y))
                expected = false;
        }
        RC_ASSERT(front[i] == expected);
    }
}

TEST(Splits, TakeTheirPromptsByLength) {
    const Results results = sample_results();
    const Values values{1.0, 2.0, 3.0, 4.0, std::nullopt, 6.0};
    // "a red cube" and "<script>…" have 3 and 4 words, the others more than 4.
    EXPECT_THAT(in_split(results.suite, values, results.suite.splits[0]),
                ElementsAre(Optional(1.0), Optional(2.0)));
    EXPECT_EQ(in_split(results.suite, values, results.suite.splits[1]).size(), 4U);
    EXPECT_THAT(in_split(results.suite, {}, results.suite.splits[0]), IsEmpty());
    EXPECT_EQ(word_count("  a\tb \n c "), 3U);
    EXPECT_EQ(word_count(""), 0U);
    EXPECT_TRUE(is_in({"all", "All", 0, 0}, results.suite.prompts[0]));
}

}  // namespace
}  // namespace gass::eval
