// The page of a report: what is in it, and what must not be.

#include "eval/report/report.h"
#include "eval/report/sample_results.h"
#include "page/style.h"
#include "support/html_tags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace gass::eval {
namespace {

using test::count;
using test::Tag;
using test::tags_in;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

/// Without pictures and script.
std::string page_of(const Results& results) {
    std::string text = test::without_pictures(report_html(results));
    const std::size_t script = text.find(page::kPageScript);
    EXPECT_NE(script, std::string::npos);
    return text.erase(script, page::kPageScript.size());
}

TEST(ReportPage, HasEveryPart) {
    const std::string page = page_of(sample_results());
    const std::vector<Tag> tags = tags_in(page);
    EXPECT_TRUE(page.starts_with("<!doctype html>"));
    EXPECT_THAT(page, HasSubstr("<h1 dir=\"auto\">A sample &lt;of a&gt; suite</h1>"));
    EXPECT_THAT(page, HasSubstr("Of 36 groups, 35 are done, 1 failed."));
    // Three of the suite; differences and ranks of two models; failures.
    EXPECT_EQ(count(tags, "table"), 3U + 2U * 2U + 1U);
    EXPECT_EQ(count(tags, "svg"), 2U);
    EXPECT_EQ(count(tags, "img"), 2U);
    EXPECT_THAT(page, HasSubstr("alt=\"SD2.1: “a red cube” under all methods\""));
    EXPECT_THAT(page, HasSubstr("00112233445566778899aabbccddeeff"));
    EXPECT_THAT(page, HasSubstr("cads:scale=0.15"));
    EXPECT_THAT(page, HasSubstr("not enough memory: 8 GB `wanted` | &lt;b&gt;4&lt;/b&gt; _there_"));
    EXPECT_THAT(page, HasSubstr("percentile bootstrap"));
}

TEST(ReportPage, MarksWithMoreThanColour) {
    const std::string page = page_of(sample_results());
    EXPECT_THAT(
        page,
        HasSubstr("<strong>2.625<span class=\"unseen\"> best</span></strong><span class=\"sign\">▲<span "
                  "class=\"unseen\"> significantly better</span></span><small>["));
    EXPECT_THAT(page, HasSubstr("▼<span class=\"unseen\"> significantly worse</span>"));
    EXPECT_THAT(page, HasSubstr("<small class=\"printed\">paper 8.847</small>"));
    EXPECT_THAT(page, HasSubstr("<small>+16.7\u00A0%</small>"));
    EXPECT_THAT(page, HasSubstr("<small>6\u2009/\u20090\u2009/\u20090</small>"));
    EXPECT_THAT(page, HasSubstr("class=\"ring\""));
    EXPECT_THAT(page, HasSubstr("class=\"whisker m2\""));
    EXPECT_THAT(page, HasSubstr("<tr class=\"after-rule\">"));
    EXPECT_THAT(page, Not(HasSubstr("8.115"))) << "of a run that is not the paper's";
}

TEST(ReportPage, EscapesEverythingAndAsksNobody) {
    Results results = sample_results();
    const std::string evil = "\"><img src=x onerror=alert(1)><script>alert(2)</script>";
    results.suite.description = results.suite.baseline = evil;
    results.suite.methods[2].name = results.suite.metrics[0].name = results.suite.metrics[1].name = evil;
    results.suite.models[0].name = results.suite.tables[0].title = results.suite.tables[1].id = evil;
    results.suite.splits[0].name = results.suite.published->source = evil;
    results.provenance[evil] = evil;
    results.provenance["models"][evil] = evil + "\x1b\xff";
    for (const Results& one : {sample_results(), results}) {
        const std::string page = page_of(one);
        const std::vector<Tag> tags = tags_in(page);
        EXPECT_EQ(count(tags, "script"), 1U);
        EXPECT_EQ(count(tags, "img"), 2U);
        EXPECT_EQ(count(tags, "b"), 0U);
        EXPECT_THAT(page, Not(HasSubstr("\x1b")));
        EXPECT_NO_THROW((void)Json(page).dump());
        for (const Tag& tag : tags) {
            EXPECT_THAT(tag.name, Not(AnyOf("link", "iframe", "object", "embed", "base", "form")));
            for (const auto& [name, value] : tag.attributes) {
                EXPECT_FALSE(name.starts_with("on")) << name;
                EXPECT_THAT(name, Not(AnyOf("style", "srcset", "action")));
                if (name == "src") {
                    EXPECT_EQ(value, "data:image/jpeg");
                }
                if (name == "href") {
                    EXPECT_TRUE(value.starts_with("#")) << value;
                }
            }
        }
    }
}

TEST(ReportPage, LinksLeadSomewhere) {
    std::set<std::string> ids;
    std::set<std::string> links;
    for (const Tag& tag : tags_in(page_of(sample_results()))) {
        if (const auto id = tag.attributes.find("id"); id != tag.attributes.end()) {
            EXPECT_TRUE(ids.insert(id->second).second) << id->second << " is there twice";
        }
        if (const auto link = tag.attributes.find("href"); link != tag.attributes.end())
            links.insert(link->second.substr(1));
    }
    EXPECT_GE(links.size(), 8U);
    for (const std::string& link : links) EXPECT_TRUE(ids.contains(link)) << link;
}

TEST(ReportPage, ClosesEveryTag) {
    std::vector<std::string> open;
    for (const Tag& tag : tags_in(page_of(sample_results()))) {
        const std::set<std::string> alone{"!doctype", "meta", "img", "wbr", "line", "rect"};
        if (alone.contains(tag.name)) continue;
        if (!tag.name.starts_with('/')) {
            open.push_back(tag.name);
            continue;
        }
        // Circles without a tooltip close themselves.
        while (!open.empty() && open.back() == "circle" && tag.name != "/circle") open.pop_back();
        ASSERT_FALSE(open.empty()) << tag.name;
        EXPECT_EQ("/" + open.back(), tag.name);
        open.pop_back();
    }
    EXPECT_TRUE(open.empty());
}

TEST(ReportPage, LeavesOutWhatThereIsNot) {
    Results results = sample_results();
    results.failures.clear();
    results.sheets.clear();
    results.suite.plots.clear();
    const std::string page = page_of(results);
    EXPECT_THAT(page, Not(HasSubstr("Failures")));
    EXPECT_THAT(page, Not(HasSubstr("Pictures")));
    EXPECT_THAT(page, Not(HasSubstr("<svg")));
}

}  // namespace
}  // namespace gass::eval
