// The tables of a report: which value stands where, what is best, and what the paper has.

#include "eval/report/table.h"

#include "eval/report/sample_results.h"
#include "page/shown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace gass::eval {
namespace {

using testing::DoubleEq;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;
using testing::SizeIs;

ReportTable table_of(const Results& results, std::size_t place) {
    return report_tables(results).at(place);
}

std::vector<bool> best_in(const ReportTable& table, std::size_t column) {
    std::vector<bool> best;
    for (const TableRow& row : table.rows) best.push_back(row.cells.at(column).is_best);
    return best;
}

TEST(Shown, IsWhatPeopleRead) {
    EXPECT_EQ(page::shown(0.12345, 3), "0.123");
    EXPECT_EQ(page::shown(-0.25, 2), "−0.25");
    EXPECT_EQ(page::shown(-0.0001, 3), "0.000");
    EXPECT_EQ(page::shown(std::nullopt, 3), "–");
}

TEST(BestOf, GoesByWhatIsShown) {
    EXPECT_THAT(page::best_of({0.1231, 0.1234, 0.12}, 3, true), ElementsAre(true, true, false));
    EXPECT_THAT(page::best_of({0.1231, 0.1234, 0.12}, 4, true), ElementsAre(false, true, false));
    EXPECT_THAT(page::best_of({3.0, std::nullopt, 2.0}, 1, false), ElementsAre(false, false, true));
    EXPECT_THAT(page::best_of({1.0, 1.0}, 1, true), ElementsAre(false, false));
    EXPECT_THAT(page::best_of({1.0, std::nullopt}, 1, true), ElementsAre(false, false));
    EXPECT_THAT(page::best_of({}, 1, true), IsEmpty());
}

TEST(MethodsTable, HasModelsSideBySide) {
    const ReportTable table = table_of(sample_results(), 1);
    EXPECT_EQ(table.id, "table3");
    EXPECT_EQ(table.corner, "Methods");
    ASSERT_THAT(table.blocks, SizeIs(2));
    EXPECT_EQ(table.blocks[0].name, "SD2.1");
    EXPECT_EQ(table.blocks[1].model, "sd3m");
    EXPECT_THAT(table.columns(), SizeIs(10));
    EXPECT_EQ(arrow_of(*table.columns()[0]), "↑");
    EXPECT_EQ(arrow_of(*table.columns()[3]), "↓");
    ASSERT_THAT(table.rows, SizeIs(3));
    EXPECT_EQ(table.rows[1].name, "CADS-ICLR'24");
    EXPECT_FALSE(table.rows[0].after_rule);
    EXPECT_FALSE(table.rows[1].after_rule);
    EXPECT_TRUE(table.rows[2].after_rule);
    for (const TableRow& row : table.rows) EXPECT_THAT(row.cells, SizeIs(10));
    // 2 plus the mean of 0, 1/4, 1/2, 1/8, 3/8 and 1/4.
    EXPECT_THAT(table.rows[0].cells[0].value, Optional(DoubleEq(2.25)));
    EXPECT_EQ(table.rows[0].cells[0].prompts, 6U);
    EXPECT_THAT(table.rows[2].cells[5].value, Optional(DoubleNear(1.5 + 2.875 / 5, 1e-12)));
}

TEST(MethodsTable, MarksTheBestOfWhatCanBeCompared) {
    const ReportTable table = table_of(sample_results(), 1);
    EXPECT_THAT(best_in(table, 0), ElementsAre(false, false, true));  // vendi
    EXPECT_THAT(best_in(table, 1), ElementsAre(true, false, false));  // clip_score
    EXPECT_THAT(best_in(table, 3), ElementsAre(true, true, false));   // fid, where less is better
    // One of the six prompts failed there.
    EXPECT_TRUE(table.rows[2].cells[5].is_partial);
    EXPECT_EQ(table.rows[2].cells[5].prompts, 5U);
    EXPECT_FALSE(table.rows[2].cells[5].is_best);
}

TEST(MethodsTable, TellsWhatDiffersFromTheBaseline) {
    const ReportTable table = table_of(sample_results(), 1);
    for (const TableCell& cell : table.rows[0].cells) EXPECT_EQ(cell.sign, Sign::none);
    EXPECT_EQ(table.rows[1].cells[0].sign, Sign::none);
    ASSERT_TRUE(table.rows[1].cells[0].difference);
    EXPECT_EQ(table.rows[2].cells[0].sign, Sign::better);
    EXPECT_EQ(table.rows[2].cells[1].sign, Sign::worse);
    // It takes longer, which is worse.
    EXPECT_EQ(table.rows[2].cells[4].sign, Sign::worse);
    EXPECT_GT(table.rows[2].cells[4].difference->low, 0);
    // All images at once have no pairs.
    EXPECT_EQ(table.rows[2].cells[3].sign, Sign::none);
    EXPECT_FALSE(table.rows[2].cells[3].difference);
    EXPECT_THAT(table.rows[2].cells[3].interval->low, DoubleEq(12.0));
}

TEST(MethodsTable, HasPublishedNumbersOnlyBesideTheirRun) {
    Results results = sample_results();
    const ReportTable table = table_of(results, 1);
    EXPECT_TRUE(table.has_published);
    EXPECT_THAT(table.rows[2].cells[2].published, Optional(0.135));
    EXPECT_FALSE(table.rows[0].cells[3].published) << "the paper has no FID";
    for (std::size_t i = 5; i < 10; ++i) EXPECT_FALSE(table.rows[0].cells[i].published);
    results.matches_published = {false, false};
    for (const ReportTable& one : report_tables(results)) EXPECT_FALSE(one.has_published) << one.id;
    results.matches_published.clear();
    for (const ReportTable& one : report_tables(results)) EXPECT_FALSE(one.has_published) << one.id;
}

TEST(MethodsTable, SaysWhatIsMissing) {
    const ReportTable table = table_of(sample_results(), 1);
    EXPECT_FALSE(table.rows[2].cells[8].value);
    EXPECT_THAT(
        missing_values(table),
        ElementsAre("GASS (ours) on SD3_M <b>: mean over 5 prompts only, not compared with the others "
                    "(VS, ClipScore, SPP, Time [s])",
                    "GASS (ours) on SD3_M <b>: no value, a group of <every> prompt | is needed (FID)"));
}

TEST(SourcesTable, HasModelsAndRealPictures) {
    const ReportTable table = table_of(sample_results(), 0);
    ASSERT_THAT(table.rows, SizeIs(2));
    EXPECT_EQ(table.rows[0].name, "SD2.1");
    EXPECT_EQ(table.rows[1].name, "Real");
    const TableCell& cell = table.rows[1].cells[1];
    EXPECT_THAT(cell.value, Optional(DoubleNear(0.12, 1e-12)));
    EXPECT_THAT(cell.deviation, Optional(DoubleNear(0.02 * 0.158113883, 1e-9)));
    EXPECT_TRUE(cell.is_best);
    EXPECT_EQ(cell.sign, Sign::none);
    EXPECT_THAT(cell.published, Optional(0.22));
    EXPECT_THAT(cell.published_deviation, Optional(0.05));
    Results without = sample_results();
    without.real.clear();
    EXPECT_THAT(table_of(without, 0).rows, SizeIs(1));
}

TEST(SplitsTable, GoesFromTheBaselineToTheMethod) {
    Results results = sample_results();
    results.suite.splits[1].least_words = 0;  // all six prompts, which it takes for a sign
    const ReportTable table = table_of(results, 2);
    ASSERT_THAT(table.rows, SizeIs(2));
    EXPECT_EQ(table.corner, "Prompt");
    const TableCell& vendi = table.rows[0].cells[0];
    EXPECT_THAT(vendi.value, Optional(DoubleEq(2.125)));
    EXPECT_THAT(vendi.second, Optional(DoubleEq(2.5)));
    EXPECT_FALSE(vendi.is_best);
    EXPECT_TRUE(vendi.second_is_best);
    EXPECT_EQ(vendi.prompts, 2U);
    EXPECT_EQ(vendi.sign, Sign::none) << "two prompts are too few";
    EXPECT_EQ(table.rows[1].cells[0].sign, Sign::better);
    EXPECT_TRUE(table.rows[1].cells[1].is_best) << "of CLIPScore the baseline has more";
    EXPECT_THAT(table.rows[0].cells[0].published_second, Optional(8.535));
    const ReportTable of_four = table_of(sample_results(), 2);
    EXPECT_EQ(of_four.rows[1].cells[0].prompts, 4U);
    EXPECT_EQ(of_four.rows[1].cells[0].sign, Sign::none) << "four prompts are too few";
}

TEST(SplitsTable, ComparesPromptsThatBothHave) {
    Results results = sample_results();
    results.scores[0][2][0].prompts[0].reset();
    const TableCell cell = table_of(results, 2).rows[0].cells[0];
    EXPECT_THAT(cell.value, Optional(DoubleEq(2.25)));
    EXPECT_EQ(cell.prompts, 1U);
    results.suite.tables[2].metrics = {"fid"};
    EXPECT_THAT(table_of(results, 2).rows[0].cells[0].reason, HasSubstr("all images at once"));
}

TEST(Tables, AreOfEverythingIfTheSuiteNamesNone) {
    Results results = sample_results();
    results.suite.tables.clear();
    const auto tables = report_tables(results);
    ASSERT_THAT(tables, SizeIs(1));
    EXPECT_THAT(tables[0].rows, SizeIs(3));
    EXPECT_THAT(tables[0].columns(), SizeIs(10));
    results.suite.models.resize(1);
    results.scores.resize(1);
    EXPECT_EQ(report_tables(results)[0].blocks[0].name, "") << "one model needs no heading";
}

TEST(Tables, LiveWithWhatIsNotThere) {
    Results results = sample_results();
    results.scores.resize(1);
    results.scores[0].resize(1);
    results.scores[0][0][0].prompts[0] = std::numeric_limits<double>::infinity();
    const ReportTable table = table_of(results, 1);
    EXPECT_EQ(table.rows[0].cells[0].prompts, 5U);
    EXPECT_FALSE(table.rows[2].cells[0].value);
    EXPECT_THAT(table.rows[2].cells[9].reason, HasSubstr("groups"));
    results = {};
    EXPECT_THAT(report_tables(results), SizeIs(1));
}

}  // namespace
}  // namespace gass::eval
