// The numbers of a comparison, as CSV, JSON, rows and on a sheet.

#include "compare/comparison.h"
#include "compare/measures.h"
#include "compare/sample.h"
#include "compare/words.h"
#include "page/shown.h"
#include "plot/lettered_marks.h"
#include "support/read_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace gass {
namespace {

using test::read_csv;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Comparison one_group(const std::string& prompt, const std::string& method) {
    Comparison comparison;
    comparison.prompts.push_back({prompt, {sample_group(method, 2, 0.5)}, {42, 43}});
    return comparison;
}

TEST(ComparisonCsv, HasARowForEachPromptAndMethod) {
    const auto rows = read_csv(comparison_csv(sample_comparison()));
    ASSERT_THAT(rows, SizeIs(5));
    EXPECT_THAT(rows[0], ElementsAre("prompt", "method", "images", "spp", "d_dep", "d_ind", "vendi",
                                     "clip_score", "pairwise", "seconds", "seeds", "error"));
    EXPECT_THAT(rows[2], ElementsAre("a red car", "gass:strength=0.3", "8", "0.09", "0.03", "0.06", "2.7",
                                     "0.414", "0.15", "9.5", "42 43 44 45 46 47 48 49", ""));
    EXPECT_THAT(rows[4], ElementsAre("a red car", "gass-paper", "0", "", "", "", "", "", "", "", "",
                                     "[gass-paper] needs a guide; name one with --guide"));
}

TEST(ComparisonCsv, QuotesWhatWouldBreakARow) {
    const std::string csv = comparison_csv(one_group("say \"hi\", then\r\ngo", "a,b"));
    EXPECT_THAT(csv, HasSubstr("\r\n\"say \"\"hi\"\", then\r\ngo\",\"a,b\",2,"));
    EXPECT_THAT(comparison_csv(one_group("plain; text", "none")), HasSubstr("\r\nplain; text,none,2,"));
}

TEST(ComparisonCsv, ReplacesWhatIsNoText) {
    EXPECT_THAT(comparison_csv(one_group(std::string("a\0b\xFF", 4), "none")),
                HasSubstr("\r\na\uFFFDb\uFFFD,none"));
}

RC_GTEST_PROP(ComparisonCsv, ReadsBackAsItWas, ()) {
    const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("\"\r\n, a;'\t")));
    const double number = *rc::gen::arbitrary<double>();
    Comparison comparison = one_group(text, text);
    comparison.prompts[0].groups[0].spread->vendi = number;
    const auto rows = read_csv(comparison_csv(comparison));
    RC_ASSERT(rows.size() == 2U);
    RC_ASSERT(rows[1][0] == text && rows[1][1] == text);
    RC_ASSERT(std::stod(rows[1][6]) == number);
}

TEST(ComparisonCsv, LeavesOutNumbersThatAreNone) {
    Comparison comparison = one_group("a", "none");
    comparison.prompts[0].groups[0].spread->spp.reset();
    comparison.prompts[0].groups[0].spread->vendi.reset();
    comparison.prompts[0].groups[0].seconds = kNaN;
    EXPECT_THAT(comparison_csv(comparison), HasSubstr("a,none,2,,0.05,0.1,,0.41,0.25,,42 43,\r\n"));
}

TEST(ComparisonJson, HasEverythingButThePictures) {
    const Json json = comparison_json(sample_comparison());
    EXPECT_EQ(json["model"], "mini-flow");
    EXPECT_EQ(json["guide"], "mini-clip");
    EXPECT_EQ(json["settings"]["steps"], 28);
    ASSERT_EQ(json["prompts"].size(), 1U);
    const Json& prompt = json["prompts"][0];
    EXPECT_EQ(prompt["prompt"], "a red car");
    EXPECT_EQ(prompt["seeds"].size(), 8U);
    ASSERT_EQ(prompt["groups"].size(), 4U);
    const Json& group = prompt["groups"][1];
    EXPECT_EQ(group["method"], "gass:strength=0.3");
    EXPECT_THAT(group["settings"].get<std::string>(), HasSubstr("candidates=4"));
    EXPECT_EQ(group["files"][7], "prompt-0/gass:strength=0.3/7.png");
    EXPECT_EQ(group["seeds"][0], 42);
    EXPECT_EQ(group["spread"]["along"].size(), 8U);
    EXPECT_EQ(group["error"], nullptr);
    EXPECT_EQ(prompt["groups"][3]["error"], "[gass-paper] needs a guide; name one with --guide");
    EXPECT_EQ(prompt["groups"][3]["seconds"], nullptr);
    ASSERT_EQ(json["methods"].size(), 4U);
    EXPECT_DOUBLE_EQ(json["methods"][1]["mean"]["vendi"].get<double>(), 2.7);
    EXPECT_EQ(json["methods"][3]["failures"], 1);
}

TEST(ComparisonJson, CanBeWrittenWhateverThereIsInIt) {
    const std::string text =
        comparison_json(hostile_comparison()).dump(2, ' ', false, Json::error_handler_t::replace);
    EXPECT_TRUE(Json::accept(text));
}

TEST(ComparisonRows, AreMeansOverThePrompts) {
    Comparison comparison = sample_comparison();
    comparison.prompts.push_back(comparison.prompts.front());
    comparison.prompts[1].groups[1] = sample_group("gass:strength=0.3", 8, 0.5);
    comparison.prompts[1].groups[2].error = "no memory";
    EXPECT_THAT(comparison_header(),
                ElementsAre("method", "SPP", "Vendi", "CLIPScore", "Pairwise", "Seconds"));
    EXPECT_THAT(comparison_rows(comparison),
                ElementsAre(ElementsAre("none", "0.030", "1.90", "0.418", "0.050", "7.5"),
                            ElementsAre("gass:strength=0.3", "0.120", "3.10", "0.412", "0.200", "10.5"),
                            ElementsAre("interval (failed for 1 of 2 prompts)", "0.060", "2.30", "0.416",
                                        "0.100", "8.5"),
                            ElementsAre("gass-paper (failed)", "–", "–", "–", "–", "–")));
    EXPECT_THAT(comparison_rows(Comparison{}), IsEmpty());
}

TEST(Best, IsTheBestAsItIsShown) {
    const auto best = [](const std::vector<double>& values, const compare::Measure& measure) {
        std::vector<compare::Mean> means;
        for (const double value : values) means.push_back({value, 1});
        return compare::best_of(means, measure);
    };
    EXPECT_THAT(best({1, 3, 2}, compare::kVendi), ElementsAre(false, true, false));
    EXPECT_THAT(best({1, 3, 2}, compare::kSeconds), ElementsAre(true, false, false));
    EXPECT_THAT(best({0.4171, 0.4169, 0.4}, compare::kClipScore), ElementsAre(true, true, false));
    EXPECT_THAT(best({0.4171, 0.4169}, compare::kClipScore), ElementsAre(false, false));
    EXPECT_THAT(best({2}, compare::kVendi), ElementsAre(false));
    EXPECT_THAT(best({}, compare::kVendi), IsEmpty());
}

TEST(Best, ComparesMeansOverTheSamePromptsOnly) {
    EXPECT_THAT(compare::best_of({{1.0, 2}, {9.0, 1}, {2.0, 2}, {std::nullopt, 0}}, compare::kVendi),
                ElementsAre(false, false, true, false));
    EXPECT_THAT(compare::best_of({{std::nullopt, 0}, {std::nullopt, 0}}, compare::kVendi),
                ElementsAre(false, false));
}

TEST(ComparisonSheet, HasARowForEachMethod) {
    Comparison comparison = sample_comparison();
    const auto height = [&] { return comparison_sheet(comparison.prompts[0], comparison).height; };
    const std::uint32_t four = height();
    comparison.prompts[0].groups.pop_back();
    const std::uint32_t three = height();
    comparison.prompts[0].groups.pop_back();
    EXPECT_EQ(four - three, three - height());
}

TEST(ComparisonSheet, ShowsHostileAndFailedGroups) {
    const Comparison comparison = hostile_comparison();
    for (const ComparedPrompt& prompt : comparison.prompts)
        EXPECT_GT(comparison_sheet(prompt, comparison).width, 256U);
}

TEST(Words, AreCutBetweenCharacters) {
    EXPECT_EQ(page::beginning("äöü", 3), "äöü");
    EXPECT_EQ(page::beginning("äöüß", 3), "äö…");
    EXPECT_EQ(page::beginning("", 3), "");
    EXPECT_EQ(plot::letter_of(1), "B");
    EXPECT_EQ(plot::letter_of(26), "27");
}

TEST(Words, TellWhatAllMethodsShare) {
    EXPECT_EQ(compare::origin_line(sample_comparison()),
              "mini-flow · guide mini-clip · 28 steps · guidance 4 · 128 × 128");
    EXPECT_EQ(compare::origin_line(Comparison{}), "");
}

}  // namespace
}  // namespace gass
