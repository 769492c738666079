// Tables for LaTeX: what TeX would trip over must not be there.

#include "eval/report/report.h"
#include "eval/report/sample_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace gass::eval {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t occurrences(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size()))
        ++count;
    return count;
}

/// The text without comments and without escaped characters.
std::string bare(const std::string& latex) {
    std::string out;
    for (std::size_t i = 0; i < latex.size(); ++i) {
        if (latex[i] == '\\') {
            const bool is_command = std::isalpha(static_cast<unsigned char>(latex[i + 1])) != 0;
            if (!is_command) ++i;
        } else if (latex[i] == '%') {
            i = latex.find('\n', i);
        } else {
            out += latex[i];
        }
    }
    return out;
}

void expect_sound(const std::string& latex) {
    const std::string text = bare(latex);
    int depth = 0;
    int dollars = 0;
    for (const char c : text) {
        depth += c == '{' ? 1 : c == '}' ? -1 : 0;
        dollars += c == '$' ? 1 : 0;
        ASSERT_GE(depth, 0) << latex;
        ASSERT_EQ(std::string("#_~\"`<>|").find(c), std::string::npos) << c << " in " << latex;
        ASSERT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
        // A hat belongs to formulas.
        if (c == '^') {
            ASSERT_EQ(dollars % 2, 1) << latex;
        }
    }
    EXPECT_EQ(depth, 0);
    EXPECT_EQ(dollars % 2, 0);
    EXPECT_EQ(occurrences(latex, "\\begin{tabular}"), occurrences(latex, "\\end{tabular}"));
}

TEST(Latex, HasTheTablesInBooktabsStyle) {
    const std::string text = report_latex(sample_results());
    EXPECT_EQ(occurrences(text, "\\toprule"), 3U);
    EXPECT_EQ(occurrences(text, "\\bottomrule"), 3U);
    EXPECT_EQ(occurrences(text, "\\midrule"), 4U) << "one below each header, one between methods";
    EXPECT_THAT(text, HasSubstr("\\begin{table*}[t]"));
    EXPECT_THAT(text, HasSubstr("\\begin{tabular}{lcccccccccc}"));
    EXPECT_THAT(text, HasSubstr(" & \\multicolumn{5}{c}{SD2.1} & \\multicolumn{5}{c}{SD3\\_M "
                                "\\textless{}b\\textgreater{}} \\\\\n"
                                "\\cmidrule(lr){2-6}\\cmidrule(lr){7-11}\n"));
    EXPECT_THAT(text, HasSubstr("VS$\\uparrow$ & ClipScore$\\uparrow$ & SPP$\\uparrow$ & FID$\\downarrow$ & "
                                "Time {[}s{]}$\\downarrow$"));
    EXPECT_THAT(text, HasSubstr("\\caption{\\textbf{Methods \\& models, 100 \\% of them.}"));
    EXPECT_THAT(text, HasSubstr("GASS (ours) & \\textbf{2.625}$^{\\dagger}$ {\\scriptsize(8.847)} &"));
    EXPECT_THAT(text,
                HasSubstr("2.125$\\rightarrow$\\textbf{2.500} {\\scriptsize(8.301 $\\rightarrow$ 8.535)}"));
    EXPECT_THAT(text, HasSubstr("\\textbf{0.120}$\\pm$0.003 {\\scriptsize(0.220 $\\pm$ 0.05)} \\\\"));
    EXPECT_THAT(text, HasSubstr("In parentheses: as printed in Zhu et al., GASS."));
    EXPECT_THAT(text, HasSubstr("2.075$^{\\ast}$ &")) << "five prompts are too few for a mark";
    EXPECT_THAT(text, HasSubstr("$^{\\ast}$ over fewer prompts than the others."));
    EXPECT_THAT(text, Not(HasSubstr("8.115")));
    expect_sound(text);
}

TEST(Latex, EveryRowHasAllColumns) {
    const std::string text = report_latex(sample_results());
    const std::size_t begin = text.find("{lcccccccccc}");
    std::size_t rows = 0;
    for (std::size_t at = text.find("Methods &", begin); at < text.find("\\bottomrule", begin);) {
        const std::size_t end = text.find('\n', at);
        const std::string line = bare(text.substr(at, end - at));
        if (line.find('&') != std::string::npos) {
            EXPECT_EQ(std::count(line.begin(), line.end(), '&'), 10) << line;
            ++rows;
        }
        at = end + 1;
    }
    EXPECT_EQ(rows, 4U);
}

RC_GTEST_PROP(Latex, AnyTextStaysText, ()) {
    Results results = sample_results();
    const auto text = *rc::gen::container<std::string>(
        rc::gen::element('a', '\\', '{', '}', '$', '&', '#', '%', '_', '^', '~', '<', '>', '|', '"', '`', '[',
                         '*', '\n', '\0', '\xc3', '\xa9', '\xff', ' ', '-'));
    results.suite.title = results.suite.models[0].name = results.suite.methods[1].name = text;
    results.suite.metrics[0].name = results.suite.tables[1].title = results.suite.published->source = text;
    expect_sound(report_latex(results));
}

TEST(Latex, ReplacesWhatPlainLatexHasNoLettersFor) {
    Results results = sample_results();
    results.suite.methods[0].name = "é قط −1 “x”";
    EXPECT_THAT(report_latex(results), HasSubstr("é ?? $-$1 ``x'' &"));
}

}  // namespace
}  // namespace gass::eval
