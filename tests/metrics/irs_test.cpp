#include "metrics/irs.h"

#include "metrics/feature_sets.h"
#include "support/expect_error.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

namespace gass {
namespace {

using test::expect_error;
using test::gaussian;

/// The exact logarithms of Stirling's numbers of the second kind, of n things, by their recurrence.
std::vector<double> log_stirling_numbers(int n) {
    std::vector<double> row{0};  // S(0, 0)
    for (int i = 1; i <= n; ++i) {
        std::vector<double> next(static_cast<std::size_t>(i) + 1, -INFINITY);
        for (std::size_t k = 1; k < next.size(); ++k) {
            const double with_old = k < row.size() ? row[k] + std::log(static_cast<double>(k)) : -INFINITY;
            const double alone = row[k - 1];
            const double larger = std::max(with_old, alone);
            if (std::isfinite(larger)) {
                next[k] = larger + std::log(std::exp(with_old - larger) + std::exp(alone - larger));
            }
        }
        row = next;
    }
    return row;
}

/// The likeliest s by trying all, with exact numbers; the largest of equally likely ones.
std::int64_t likeliest(std::int64_t references, int drawn, std::int64_t shown) {
    const double stirling = log_stirling_numbers(drawn)[static_cast<std::size_t>(shown)];
    std::int64_t best = shown;
    double most = -INFINITY;
    for (std::int64_t s = shown; s <= references; ++s) {
        const auto learned = static_cast<double>(s);
        const double value = stirling + std::lgamma(learned + 1) -
                             std::lgamma(learned - static_cast<double>(shown) + 1) -
                             drawn * std::log(learned);
        if (value > most - 1e-12) {
            most = value;
            best = s;
        }
    }
    return best;
}

RC_GTEST_PROP(Irs, FindsTheLikeliestNumber, ()) {
    const auto drawn = *rc::gen::inRange(1, 60);
    const auto references = *rc::gen::inRange<std::int64_t>(1, 200);
    const auto shown = *rc::gen::inRange<std::int64_t>(1, std::min<std::int64_t>(drawn, references) + 1);
    const Irs found = retrieval_score_of(references, drawn, shown);
    const auto all = static_cast<double>(references);
    RC_ASSERT(std::abs(found.at_infinity * all - static_cast<double>(likeliest(references, drawn, shown))) <
              1.5);
    RC_ASSERT(found.at_alpha == static_cast<double>(shown) / all);
    RC_ASSERT(found.interval.low <= found.at_infinity && found.at_infinity <= found.interval.high);
    RC_ASSERT(found.at_alpha <= found.interval.low + 1e-12 && found.interval.high <= 1);
}

TEST(Irs, FindsHowManyWereLearned) {
    // 3 000 draws out of 500 of 2 000: about 500 (1 − exp(−6)) distinct ones.
    const Irs found = retrieval_score_of(2000, 3000, 499);
    EXPECT_NEAR(found.at_infinity, 0.25, 0.002);
    EXPECT_LT(found.interval.high, 0.26);
    // As many draws as distinct ones say nothing against all.
    EXPECT_DOUBLE_EQ(retrieval_score_of(1000000, 50, 50).at_infinity, 1);
    EXPECT_DOUBLE_EQ(retrieval_score_of(10, 10000, 10).at_infinity, 1);
    EXPECT_DOUBLE_EQ(retrieval_score_of(10, 10000, 1).at_infinity, 0.1);
}

TEST(Irs, IntervalCoversTheTruth) {
    int covered = 0;
    constexpr int kRuns = 200;
    for (int i = 0; i < kRuns; ++i) {
        const at::Tensor drawn =
            at::randint(300, {400}, make_stream(static_cast<std::uint64_t>(i), Purpose::method), at::kLong);
        const auto shown = std::get<0>(at::_unique(drawn)).numel();
        const Irs found = retrieval_score_of(1000, 400, shown);
        covered += found.interval.low <= 0.3 && 0.3 <= found.interval.high ? 1 : 0;
    }
    EXPECT_GT(covered, kRuns * 84 / 100);
}

RC_GTEST_PROP(Irs, CountsTheNearestReferences, ()) {
    const auto width = *rc::gen::inRange<std::int64_t>(1, 8);
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    const at::Tensor reference = gaussian(*rc::gen::inRange<std::int64_t>(1, 40), width, seed);
    const at::Tensor generated = gaussian(*rc::gen::inRange<std::int64_t>(1, 40), width, seed + 1);
    const at::Tensor apart = (generated.unsqueeze(1) - reference.unsqueeze(0)).square().sum(2);
    const Irs found = image_retrieval_score(reference, generated);
    RC_ASSERT(found.retrieved == std::get<0>(at::_unique(apart.argmin(1))).numel());
    RC_ASSERT(image_retrieval_score(reference, reference).at_alpha == 1);
    // Of equal references only the first is found.
    RC_ASSERT(image_retrieval_score(at::cat({reference, reference}), generated).retrieved == found.retrieved);
}

TEST(Irs, RefusesWhatCannotBe) {
    expect_error(ErrorCode::usage, "IRS", [] { retrieval_score_of(5, 5, 6); });
    expect_error(ErrorCode::usage, "IRS", [] { retrieval_score_of(5, 5, 0); });
    expect_error(ErrorCode::usage, "one encoder",
                 [] { image_retrieval_score(gaussian(4, 3, 1), gaussian(4, 2, 1)); });
}

}  // namespace
}  // namespace gass
