// What --assert claims of means.

#include "eval/report/assertion.h"

#include "eval/report/sample_results.h"
#include "support/expect_error.h"

#include <gass/error.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace gass::eval {
namespace {

using test::expect_error;
using testing::HasSubstr;

void expect(std::string_view text, bool holds, const std::string& explanation) {
    const Assertion assertion = evaluate_assertion(text, sample_results());
    EXPECT_EQ(assertion.holds, holds) << text << ": " << assertion.explanation;
    EXPECT_EQ(assertion.text, text);
    EXPECT_THAT(assertion.explanation, HasSubstr(explanation)) << text;
}

TEST(Assertion, IsOfEveryModel) {
    expect("gass.vendi > none.vendi", true, "sd21: 2.625 > 2.25; sd3m: 2.075 > 1.75");
    expect("gass.vendi<none.vendi", false, "sd21: 2.625 < 2.25 does not hold");
    // 11 % more on one model, 17 % on the other.
    expect("gass.vendi >= 1.17*none.vendi", false,
           "sd21: 2.625 >= 2.6325 does not hold; sd3m: 2.075 >= 2.0475");
}

TEST(Assertion, IsOfTheModelItNames) {
    expect("sd21/gass.vendi > sd21/none.vendi", true, "sd21: 2.625 > 2.25");
    expect("sd21/gass.vendi >= 1.2*sd21/none.vendi", false, "2.625 >= 2.7");
    expect("sd3m/gass.vendi < sd21/gass.vendi", true, "2.075 < 2.625");
    expect("gass.vendi >= sd21/none.vendi", false, "sd3m: 2.075 >= 2.25 does not hold");
}

TEST(Assertion, TakesNumbersOnEitherSide) {
    expect("gass.clip_score > 0.29", true, "sd21: 0.29375 > 0.29");
    expect(" 3 >= 2 * sd21/none.vendi ", false, "3 >= 4.5");
    expect("sd21/none.fid <= 11", true, "11 <= 11");
    expect("sd21/none.fid < 11", false, "11 < 11");
    expect("sd21/none.vendi > -1e3", true, "2.25 > -1000");
}

TEST(Assertion, KnowsRealPictures) {
    expect("none.spp < real.spp", true, "sd21: 0.105 < 0.12; sd3m: 0.105 < 0.12");
    expect("real.spp > 0.1", true, "0.12 > 0.1");
}

TEST(Assertion, DoesNotHoldWithoutAValue) {
    expect("sd3m/gass.fid > 1", false, "gass.fid has no value (a group of <every> prompt | is needed)");
    expect("gass.fid > none.fid", false, "sd21: 12.5 > 11; sd3m: gass.fid has no value");
    Results nothing;
    nothing.suite = sample_results().suite;
    EXPECT_FALSE(evaluate_assertion("gass.vendi > 0", nothing).holds);
    nothing.suite.models.clear();
    EXPECT_FALSE(evaluate_assertion("gass.vendi > 0", nothing).holds);
}

TEST(Assertion, RefusesWhatItCannotRead) {
    const Suite suite = sample_results().suite;
    for (const char* text :
         {"", "gass.vendi", "gass.vendi > ", "> 1", "gass > none", "gass.vendi = 1", "gass.vendi => 1",
          "a*gass.vendi > 1", "/gass.vendi > 1", ".vendi > 1", "gass.vendi > nan", "gass.vendi > inf",
          "gass.vendi > 1 > 2", "gass.vendi >> 1", "1 < gass.vendi < 2"}) {
        expect_error(ErrorCode::usage, "[`assert`]", [&] { check_assertion(text, suite); });
    }
    expect_error(ErrorCode::usage, "compares two numbers", [&] { check_assertion("2 > 1", suite); });
    expect_error(ErrorCode::usage, "method \"gas\" (did you mean \"gass\"?); the suite has none, cads, gass",
                 [&] { check_assertion("gas.vendi > 1", suite); });
    expect_error(
        ErrorCode::usage,
        "metric \"vend\" (did you mean \"vendi\"?); the suite has vendi, clip_score, spp, fid, seconds",
        [&] { check_assertion("gass.vend > 1", suite); });
    expect_error(ErrorCode::usage, "model \"sd1\" (did you mean \"sd21\"?); the suite has sd21, sd3m",
                 [&] { check_assertion("sd1/gass.vendi > 1", suite); });
    expect_error(ErrorCode::usage, "method \"real\"", [&] { check_assertion("sd21/real.spp > 1", suite); });
    Suite without = suite;
    without.reference.as_row = false;
    expect_error(ErrorCode::usage, "method \"real\"", [&] { check_assertion("real.spp > 1", without); });
    EXPECT_NO_THROW(check_assertion("gass.vendi > none.vendi", suite));
}

RC_GTEST_PROP(Assertion, NeverFailsOtherwise, ()) {
    const auto text = *rc::gen::container<std::string>(
        rc::gen::element('g', 'a', 's', '.', '/', '*', '<', '>', '=', '1', ' ', '\xff'));
    try {
        evaluate_assertion(text, sample_results());
    } catch (const Error& error) {
        RC_ASSERT(error.code() == ErrorCode::usage);
    }
}

}  // namespace
}  // namespace gass::eval
