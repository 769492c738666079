// The page: what is in it, and what must not be.

#include "compare/comparison.h"
#include "compare/plots.h"
#include "compare/sample.h"
#include "page/style.h"
#include "plot/geometry.h"
#include "support/html_tags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string_view>

namespace gass {
namespace {

using test::count;
using test::Tag;
using test::tags_in;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

/// Every text that stands behind `before`, up to the next tag.
std::vector<std::string> texts_behind(const std::string& page, const std::string& before) {
    std::vector<std::string> texts;
    for (std::size_t at = page.find(before); at != std::string::npos; at = page.find(before, at)) {
        at += before.size();
        texts.push_back(page.substr(at, page.find('<', at) - at));
    }
    return texts;
}

std::string page_text(const Comparison& comparison) {
    return test::without_pictures(comparison_page(comparison));
}

std::string without(std::string text, std::string_view part) {
    const std::size_t at = text.find(part);
    EXPECT_NE(at, std::string::npos);
    return text.erase(at, part.size());
}

TEST(Page, ShowsEveryMethod) {
    const std::string page = page_text(sample_comparison());
    EXPECT_TRUE(page.starts_with("<!doctype html>"));
    EXPECT_THAT(page, HasSubstr("<h1 dir=\"auto\">a red car</h1>"));
    EXPECT_THAT(page, HasSubstr("mini-flow · guide mini-clip · 28 steps"));
    EXPECT_THAT(page, HasSubstr("[gass-paper] needs a guide; name one with --guide"));
    EXPECT_THAT(page, HasSubstr("alt=\"gass:strength=0.3, seed 49\""));
    EXPECT_THAT(page, HasSubstr("select_time=0.75</bdi></code>"));
    const std::vector<Tag> tags = tags_in(page);
    EXPECT_EQ(count(tags, "img"), 24U);
    EXPECT_EQ(count(tags, "article"), 4U);
    EXPECT_EQ(count(tags, "svg"), 4U);
    EXPECT_THAT(page, HasSubstr("SPP 0.090 (along 0.030, across 0.060) · Vendi 2.70 of 8"));
}

TEST(Page, MarksTheBestAndTellsDifferences) {
    const std::string page = page_text(sample_comparison());
    EXPECT_THAT(texts_behind(page, "class=\"best\">"),
                ElementsAre("0.418", "7.5", "2.70", "0.090", "0.030", "0.060", "0.150"));
    EXPECT_THAT(page, HasSubstr("<small>+0.80 (+42\u00A0%)</small>"));
    EXPECT_THAT(page, HasSubstr("<small>−0.004 (−1\u00A0%)</small>"));
    EXPECT_THAT(page, HasSubstr("its difference to A, <bdi>none</bdi>."));
}

TEST(Page, HasMeansOfSeveralPrompts) {
    Comparison comparison = sample_comparison();
    comparison.prompts.push_back(comparison.prompts.front());
    comparison.prompts[1].prompt = "a dog";
    comparison.prompts[1].groups[2].spread.reset();
    const std::string page = page_text(comparison);
    EXPECT_THAT(page, HasSubstr("<h1 dir=\"auto\">4 methods on 2 prompts</h1>"));
    EXPECT_THAT(page, HasSubstr("a dog</h2>"));
    EXPECT_THAT(page, HasSubstr("mean of 1 of 2"));
    EXPECT_EQ(count(tags_in(page), "table"), 3U);
    // Two of each of the methods that have numbers for both, one of the third.
    EXPECT_THAT(texts_behind(page, "class=\"faint"), SizeIs(5));
}

TEST(Page, EscapesEverything) {
    const std::string page = page_text(hostile_comparison());
    const std::vector<Tag> tags = tags_in(without(page, page::kPageScript));
    EXPECT_EQ(count(tags, "script"), 1U);
    EXPECT_EQ(count(tags, "h1"), 1U);
    EXPECT_EQ(count(tags, "img"), 24U + 4U + 12U);
    for (const Tag& tag : tags) {
        for (const auto& [name, value] : tag.attributes) EXPECT_FALSE(name.starts_with("on")) << name;
    }
    EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
    EXPECT_THAT(page, Not(HasSubstr("\x1b")));
    EXPECT_EQ(page.find('\0'), std::string::npos);
    // Any bytes that are no UTF-8 would make the JSON library complain.
    EXPECT_NO_THROW((void)Json(page).dump());
}

TEST(Page, AsksNobodyForAnything) {
    for (const Comparison& comparison : {sample_comparison(), hostile_comparison()}) {
        const std::string page = without(page_text(comparison), page::kPageScript);
        for (const Tag& tag : tags_in(page)) {
            EXPECT_THAT(tag.name, Not(AnyOf("link", "iframe", "object", "embed", "base", "form")));
            for (const auto& [name, value] : tag.attributes) {
                if (name == "src") {
                    EXPECT_EQ(value, "data:image/png");
                }
                if (name == "href") {
                    EXPECT_TRUE(value.starts_with("#")) << value;
                }
                if (name == "http-equiv") {
                    EXPECT_EQ(value, "Content-Security-Policy");
                }
                EXPECT_THAT(name, Not(AnyOf("srcset", "action", "style", "xlink:href")));
            }
        }
        EXPECT_THAT(page, HasSubstr("default-src 'none'; img-src data:;"));
    }
    EXPECT_THAT(std::string(page::kPageStyle), Not(HasSubstr("url(")));
    EXPECT_THAT(std::string(page::kPageStyle), Not(HasSubstr("@import")));
    EXPECT_THAT(std::string(page::kPageStyle), Not(HasSubstr("http")));
    EXPECT_THAT(std::string(page::kPageScript), Not(HasSubstr("http")));
}

TEST(Page, CutsLongPromptsInHeadings) {
    Comparison comparison = sample_comparison();
    comparison.prompts[0].prompt = std::string(65536, 'w');
    const std::string page = page_text(comparison);
    EXPECT_THAT(page, HasSubstr("www…</h1>"));
    EXPECT_THAT(page, HasSubstr("The whole prompt"));
    EXPECT_THAT(page, HasSubstr(comparison.prompts[0].prompt));
    EXPECT_LT(page.size(), 65536U + 60000U);
}

TEST(Page, StandsWithoutNumbers) {
    EXPECT_THAT(comparison_page(Comparison{}), HasSubstr("Nothing to compare"));
    Comparison comparison = sample_comparison();
    for (ComparedGroup& group : comparison.prompts[0].groups) group.spread.reset();
    const std::string page = page_text(comparison);
    EXPECT_THAT(page, HasSubstr("No method has numbers to draw."));
    EXPECT_THAT(page, HasSubstr("could not be measured"));
    EXPECT_EQ(count(tags_in(page), "img"), 24U);
    EXPECT_THAT(page, Not(HasSubstr("nan")));
}

TEST(Page, ReducesLargePictures) {
    Comparison comparison = sample_comparison();
    comparison.prompts[0].groups.resize(1);
    comparison.prompts[0].groups[0].images = {plain_picture(1600, 800, 1, 2, 3)};
    const std::string page = comparison_page(comparison);
    EXPECT_THAT(page, HasSubstr("width=\"1600\" height=\"800\""));
    EXPECT_LT(page.size(), 40000U);
}

TEST(SpherePlot, HasTheSameAxesForAllMethods) {
    const Comparison comparison = sample_comparison();
    const std::string page = page_text(comparison);
    const auto ticks_in = [&](std::size_t method) {
        const std::size_t begin = page.find("<article id=\"p0-m" + std::to_string(method));
        const std::string block = page.substr(begin, page.find("</article>", begin) - begin);
        std::vector<std::string> ticks = texts_behind(block, "<text class=\"end\" ");
        for (std::string& tick : texts_behind(block, "<text class=\"middle\" "))
            ticks.push_back(std::move(tick));
        return ticks;
    };
    EXPECT_THAT(ticks_in(0), SizeIs(testing::Ge(4)));
    EXPECT_EQ(ticks_in(0), ticks_in(1));
    EXPECT_EQ(ticks_in(0), ticks_in(2));
    EXPECT_THAT(ticks_in(3), IsEmpty());
}

TEST(SpherePlot, CoversEveryPlaceOfEveryGroup) {
    const Comparison comparison = sample_comparison();
    const compare::SphereAxes axes = compare::sphere_axes(comparison.prompts[0]);
    EXPECT_LT(axes.along.low, 0.40 - 0.3 * 0.1 * 0.9);
    EXPECT_GT(axes.along.high, 0.43);
    EXPECT_LT(axes.across.low, -0.25);
    EXPECT_GT(axes.across.high, 0.25);
}

TEST(TradeoffPlot, KeepsLettersApart) {
    Comparison comparison = sample_comparison();
    comparison.prompts[0].groups.assign(12, sample_group("same", 4, 0.3));
    const std::string svg = compare::tradeoff_plot(comparison, TextPainter());
    std::vector<plot::Point> letters;
    for (const Tag& tag : tags_in(svg)) {
        if (tag.name == "circle" && tag.attributes.at("class").starts_with("mark "))
            letters.push_back({std::stod(tag.attributes.at("cx")), std::stod(tag.attributes.at("cy"))});
    }
    ASSERT_THAT(letters, SizeIs(12));
    for (std::size_t i = 0; i < letters.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) EXPECT_GE(plot::distance(letters[i], letters[j]), 19.0);
    }
}

}  // namespace
}  // namespace gass
