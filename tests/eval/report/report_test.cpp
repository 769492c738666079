// Reports as Markdown, CSV and JSON.

#include "eval/report/report.h"

#include "eval/report/sample_results.h"
#include "support/read_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <sstream>

namespace gass::eval {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

/// How many cells a row of a Markdown table has.
std::size_t cells_in(const std::string& line) {
    std::size_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\\') {
            ++i;
        } else if (line[i] == '|') {
            ++bars;
        }
    }
    return bars - 1;
}

TEST(Reports, AreTheSameForTheSameResults) {
    const Results results = sample_results();
    EXPECT_EQ(report_html(results), report_html(sample_results()));
    EXPECT_EQ(report_markdown(results), report_markdown(sample_results()));
    EXPECT_EQ(report_csv(results), report_csv(sample_results()));
    EXPECT_EQ(report_latex(results), report_latex(sample_results()));
    EXPECT_EQ(report_json(results).dump(), report_json(sample_results()).dump());
}

TEST(Reports, LiveWithoutAnyResults) {
    const Results nothing;
    EXPECT_THAT(report_html(nothing), HasSubstr("</html>"));
    EXPECT_THAT(report_markdown(nothing), HasSubstr("0 models"));
    EXPECT_THAT(test::read_csv(report_csv(nothing)), SizeIs(1));
    EXPECT_THAT(report_latex(nothing), HasSubstr("\\end{tabular}"));
    EXPECT_TRUE(report_json(nothing).is_object());
}

TEST(Markdown, SaysWhatWasRun) {
    const std::string text = report_markdown(sample_results());
    EXPECT_THAT(text, HasSubstr("# A sample \\<of a\\> suite\n"));
    EXPECT_THAT(text, HasSubstr("2 models (SD2.1, SD3\\_M \\<b\\>) and 3 methods (Vanilla Guidance (CFG), "
                                "CADS-ICLR'24, GASS (ours)), 6 prompts × 1 group × 4 images, 10 steps each. "
                                "Of 36 groups, 35 are done, 1 failed.\n"));
    Results results = sample_results();
    results.done = 30;
    EXPECT_THAT(report_markdown(results), HasSubstr("30 are done, 1 failed, 5 are missing."));
}

// The suite's own numbers may stand under a flag's.
TEST(Markdown, SaysHowManyImagesAndStepsWereMade) {
    Results results = sample_results();
    results.suite.settings = {{"images", 6}, {"steps", 16}};
    results.suite.further_prompts.resize(4);
    EXPECT_THAT(report_markdown(results),
                HasSubstr("6 prompts (the first of 10) × 1 group × 4 images, 10 steps each."));
    results.provenance["models"]["sd3m"]["settings"]["images"] = 3;
    results.provenance["models"]["sd3m"]["settings"]["steps"] = 1;
    EXPECT_THAT(report_markdown(results), HasSubstr("× 3 or 4 images, 1 or 10 steps each."));
    const Json suite = report_json(results)["suite"];
    EXPECT_EQ(suite["settings"], Json::object()) << "the models have none in common";
    EXPECT_EQ(suite["further_prompts"], 4);
    EXPECT_EQ(report_json(sample_results())["suite"]["settings"], Json({{"images", 4}, {"steps", 10}}));
}

TEST(Markdown, SaysWhyNoDifferenceIsMarked) {
    EXPECT_THAT(report_markdown(sample_results()), HasSubstr("▲ significantly better"));
    EXPECT_THAT(report_markdown(sample_results()), HasSubstr("It takes 6 prompts to call a difference"));
    Results results = sample_results();
    results.suite.prompts.pop_back();
    for (auto& methods : results.scores) {
        for (auto& metrics : methods) {
            for (Scores& scores : metrics) {
                if (!scores.prompts.empty()) scores.prompts.pop_back();
            }
        }
    }
    const std::string text = report_markdown(results);
    EXPECT_THAT(text,
                HasSubstr("No difference is marked as significant: that takes 6 prompts, and there are 5."));
    EXPECT_THAT(text, Not(HasSubstr("▲")));
    EXPECT_THAT(report_html(results), Not(HasSubstr("▲")));
    EXPECT_THAT(report_html(results), HasSubstr("No difference is marked as significant"));
}

TEST(Markdown, HasTablesThatHoldTogether) {
    std::size_t cells = 0;
    std::size_t rows = 0;
    for (const std::string& line : lines_of(report_markdown(sample_results()))) {
        if (!line.starts_with('|')) {
            cells = 0;
            continue;
        }
        if (cells == 0) cells = cells_in(line);
        EXPECT_EQ(cells_in(line), cells) << line;
        EXPECT_TRUE(line.ends_with(" |") || line.ends_with("|")) << line;
        ++rows;
    }
    EXPECT_GT(rows, 30U);
}

TEST(Markdown, MarksWhatIsBestAndWhatDiffers) {
    const std::string text = report_markdown(sample_results());
    EXPECT_THAT(text, HasSubstr("| GASS (ours) | **2.625** ▲ \\["));
    EXPECT_THAT(text, HasSubstr("\\] · paper 8.847 |"));
    EXPECT_THAT(text, HasSubstr("| 2.125 → **2.500** · paper 8.301 → 8.535 |"));
    EXPECT_THAT(text, HasSubstr("± 0.003 · paper 0.220 ± 0.05 |"));
    EXPECT_THAT(text, HasSubstr("| GASS (ours) | VS | +0.3750 ▲ |"));
    EXPECT_THAT(text, HasSubstr("| +16.7\u00A0% | 6 | 0 | 0 |"));
    EXPECT_THAT(text, HasSubstr("- ClipScore and VS: Vanilla Guidance (CFG), CADS-ICLR'24, GASS (ours)\n"));
}

TEST(Markdown, SaysWhyPublishedNumbersAreNotShown) {
    const std::string text = report_markdown(sample_results());
    EXPECT_THAT(text, AllOf(HasSubstr("as printed in Zhu et al., GASS, for SD2.1."),
                            HasSubstr("For SD3\\_M \\<b\\> the numbers of Zhu et al., GASS are not shown"),
                            Not(HasSubstr("8.115"))));
    Results results = sample_results();
    results.matches_published = {false, false};
    results.suite.prompts.resize(5);
    const std::string other = report_markdown(results);
    EXPECT_THAT(other, HasSubstr("(it has 5 prompts)"));
    EXPECT_THAT(other, Not(HasSubstr("paper ")));
    results.suite.published.reset();
    EXPECT_THAT(report_markdown(results), Not(HasSubstr("not shown")));
}

TEST(Markdown, TakesNoTextForMarkup) {
    const std::string text = report_markdown(sample_results());
    EXPECT_THAT(text, Not(HasSubstr("<b>")));
    EXPECT_THAT(text, HasSubstr("not enough memory: 8 GB \\`wanted\\` \\| \\<b\\>4\\</b\\> \\_there\\_ |"));
    EXPECT_THAT(text, Not(HasSubstr("\u202E")));
    Results results = sample_results();
    results.suite.description = "--- no rule";
    results.provenance["models"] = "````";
    const std::string other = report_markdown(results);
    EXPECT_THAT(other, HasSubstr("\n\\--- no rule\n"));
    EXPECT_THAT(other, HasSubstr("\n`````json\n")) << "a fence longer than what it holds";
    results.suite.description = "1. no list";
    EXPECT_THAT(report_markdown(results), HasSubstr("\n1\\. no list\n"));
}

TEST(Csv, HasARowForEachPrompt) {
    const auto rows = test::read_csv(report_csv(sample_results()));
    EXPECT_THAT(rows[0],
                ElementsAre("model", "method", "metric", "kind", "prompt", "name", "value", "reason"));
    for (const auto& row : rows) EXPECT_THAT(row, SizeIs(8));
    EXPECT_THAT(rows, Contains(ElementsAre("sd21", "none", "vendi", "prompt", "0", "cube", "2", "")));
    EXPECT_THAT(rows, Contains(ElementsAre("sd21", "gass", "vendi", "prompt", "4",
                                           "\"quotes\", commas,\nand a line\r\nor 'two'", "2.875", "")));
    EXPECT_THAT(rows, Contains(ElementsAre("sd3m", "gass", "vendi", "prompt", "4", testing::_, "", "")));
    EXPECT_THAT(rows, Contains(ElementsAre("sd21", "gass", "fid", "whole", "", "", "12.5", "")));
    EXPECT_THAT(rows, Contains(ElementsAre("sd3m", "gass", "fid", "whole", "", "", "",
                                           "a group of <every> prompt | is needed")));
    EXPECT_THAT(rows, Contains(ElementsAre("", "real", "vendi", "prompt", "0", "cube", "3.5", "")));
    std::size_t prompts = 0;
    for (const auto& row : rows) prompts += row[3] == "prompt" ? 1 : 0;
    // 2 models × 3 methods × 4 metrics, and 3 of the real pictures.
    EXPECT_EQ(prompts, (2U * 3U * 4U + 3U) * 6U);
}

TEST(Csv, HasPublishedNumbers) {
    const auto rows = test::read_csv(report_csv(sample_results()));
    EXPECT_THAT(rows, Contains(ElementsAre("sd21", "gass", "vendi", "published", "", "table3", "8.847", "")));
    EXPECT_THAT(rows, Contains(ElementsAre("", "real", "spp", "published", "", "table1", "0.22", "")));
    EXPECT_THAT(rows,
                Contains(ElementsAre("sd21", "none", "spp", "published_std", "", "table1", "0.04", "")));
    EXPECT_THAT(rows,
                Contains(ElementsAre("sd21", "gass", "vendi", "published", "", "table4/short", "8.535", "")));
    for (const auto& row : rows) EXPECT_FALSE(row[0] == "sd3m" && row[3].starts_with("published"));
}

TEST(ReportJson, HasEverything) {
    const Json json = report_json(sample_results());
    const Json& gass = json["models"]["sd21"]["methods"]["gass"]["metrics"]["vendi"];
    EXPECT_EQ(gass["value"], 2.625);
    EXPECT_EQ(gass["prompts"], 6);
    EXPECT_EQ(gass["values"], Json({2.5, 2.5, 3.0, 2.375, 2.875, 2.5}));
    EXPECT_EQ(gass["difference"]["mean"], 0.375);
    EXPECT_EQ(gass["difference"]["higher"], 6);
    EXPECT_EQ(json.begin().key(), "schema");
    EXPECT_EQ(json["schema"], "gass.eval/1");
    EXPECT_EQ(gass["difference"]["sign"], 1);
    EXPECT_EQ(gass["rank"], 1.0);
    EXPECT_THAT(gass["interval"], SizeIs(2));
    EXPECT_GT(gass["std"], 0.2);
    const Json& fid = json["models"]["sd21"]["methods"]["gass"]["metrics"]["fid"];
    EXPECT_EQ(fid["interval"], Json({12.0, 13.25}));
    EXPECT_TRUE(fid["difference"].is_null());
    EXPECT_TRUE(json["models"]["sd3m"]["methods"]["gass"]["metrics"]["vendi"]["values"][4].is_null());
    EXPECT_EQ(json["models"]["sd21"]["plots"][0]["front"], Json({"none", "cads", "gass"}));
    EXPECT_EQ(json["real"]["fid"]["reason"], "the reference is not compared with itself");
    EXPECT_EQ(json["groups"], Json({{"planned", 36}, {"done", 35}, {"failed", 1}, {"missing", 0}}));
    EXPECT_EQ(json["tables"][1]["rows"][2]["cells"][0]["published"], 8.847);
    EXPECT_FALSE(json["tables"][1]["rows"][2]["cells"][5].contains("published"));
    EXPECT_EQ(json["tables"][1]["rows"][2]["cells"][0]["sign"], "better");
    EXPECT_EQ(json["failures"][0]["prompt"], 4);
    EXPECT_EQ(json["provenance"]["models"]["sd21"]["fingerprint"], "00112233445566778899aabbccddeeff");
    EXPECT_EQ(json["suite"]["prompts"][5]["name"], "قطة");
    EXPECT_EQ(json["suite"]["metrics"]["seconds"]["metric"], "seconds");
}

TEST(ReportJson, KnowsOnlyFiniteNumbersAndUtf8) {
    Results results = sample_results();
    results.scores[0][0][0].prompts[0] = kNaN;
    results.scores[0][0][3].whole_interval = Interval{kNaN, 1};
    results.provenance["odd"] = -std::numeric_limits<double>::infinity();
    results.failures[0].reason = "\xff";
    const Json json = report_json(results);
    EXPECT_TRUE(json["models"]["sd21"]["methods"]["none"]["metrics"]["vendi"]["values"][0].is_null());
    EXPECT_EQ(json["models"]["sd21"]["methods"]["none"]["metrics"]["vendi"]["prompts"], 5);
    EXPECT_TRUE(json["models"]["sd21"]["methods"]["none"]["metrics"]["fid"]["interval"].is_null());
    EXPECT_TRUE(json["provenance"]["odd"].is_null());
    EXPECT_EQ(json["failures"][0]["reason"], "\uFFFD");
    for (const std::string& text :
         {json.dump(), report_csv(results), report_markdown(results), report_latex(results)}) {
        for (const char* before : {" ", ",", "[", ":", "-"}) {
            EXPECT_EQ(text.find(before + std::string("nan")), std::string::npos);
            EXPECT_EQ(text.find(before + std::string("inf")), std::string::npos);
        }
    }
}

}  // namespace
}  // namespace gass::eval
