#include "gallery/set_page.h"

#include "gallery/sample.h"
#include "page/style.h"
#include "support/html_tags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gass {
namespace {

using test::count;
using test::Tag;
using test::tags_in;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

std::string page_of(const Group& group) {
    return gallery::set_page(group, group.record, file_names(group.images.size()));
}

/// Without our script, which has signs of markup in it.
std::vector<Tag> tags_of(std::string page) {
    const std::size_t at = page.find(page::kPageScript);
    EXPECT_NE(at, std::string::npos);
    return tags_in(page.erase(at, page::kPageScript.size()));
}

TEST(SetPage, ShowsEveryPictureWithWhatIsKnownOfIt) {
    const std::string page = page_of(sample_group());
    EXPECT_TRUE(page.starts_with("<!doctype html>"));
    EXPECT_THAT(page, HasSubstr("<h1 dir=\"auto\">a red car</h1>"));
    EXPECT_THAT(page, HasSubstr("mini-flow · 28 steps · CFG 4.5 · 128x128 · method gass, strength 0.8"));
    EXPECT_THAT(page, HasSubstr("<bdi>without: rain, fog</bdi>"));
    EXPECT_THAT(page, HasSubstr("<img src=\"0002.png\" width=\"128\" height=\"128\" loading=\"lazy\" "
                                "alt=\"0002.png, seed 44, at noon 29 %\">"));
    EXPECT_THAT(page,
                HasSubstr("<a href=\"0007.png\">0007.png</a> · <bdi>seed 49</bdi><br><bdi>at noon</bdi>"));
    EXPECT_EQ(count(tags_of(page), "img"), 8U);
}

TEST(SetPage, SaysWhatTheSetIsWorth) {
    Group group = sample_group();
    std::string page = page_of(group);
    EXPECT_THAT(page, HasSubstr("These 8 images are worth about 3.8 that have nothing in common."));
    EXPECT_THAT(page, HasSubstr("The guide that counts them helped to make them"));
    EXPECT_THAT(page, HasSubstr("SPP 0.147 (along 0.039, across 0.108) · Vendi 3.84 of 8"));
    EXPECT_THAT(page, HasSubstr("What these numbers mean"));
    group.record.settings.guide = std::nullopt;  // it only looked on
    EXPECT_THAT(page_of(group), Not(HasSubstr("helped to make them")));
    group.spread->vendi = std::nullopt;
    EXPECT_THAT(page_of(group), Not(HasSubstr("are worth about")));
    group.spread = std::nullopt;
    EXPECT_THAT(page_of(group), Not(HasSubstr("How far it spreads")));
    EXPECT_THAT(page_of(sample_group(1)), Not(HasSubstr("How far it spreads")));
}

TEST(SetPage, HasTheRecipeToCopy) {
    const std::string page = page_of(sample_group());
    EXPECT_THAT(page,
                HasSubstr("<pre><bdi>gass generate <span class=\"flag\">-p</span> &#39;a red car&#39; "));
    EXPECT_THAT(page, HasSubstr("gass:strength=0.8,<wbr>interval=0.76,<wbr>candidates=1"));
    EXPECT_THAT(page, HasSubstr("&quot;fingerprint&quot;: "));
    EXPECT_EQ(count(tags_of(page), "button"), 2U);
}

TEST(SetPage, RecordsTheFormatToo) {
    const Group group = sample_group();
    Record record = group.record;
    record.settings.format = "webp";
    const std::string page = gallery::set_page(group, record, file_names(8));
    EXPECT_THAT(page, HasSubstr("<span class=\"flag\">--format</span> webp"));
    EXPECT_THAT(page, HasSubstr("&quot;format&quot;: &quot;webp&quot;"));
}

TEST(SetPage, StandsWithoutAPrompt) {
    Group group = sample_group(1);
    group.record.prompt = group.images[0].prompt = "";
    EXPECT_THAT(page_of(group), HasSubstr("<h1 dir=\"auto\">no prompt</h1>"));
}

TEST(SetPage, CutsLongPromptsInTheHeading) {
    Group group = sample_group(1);
    group.record.prompt = std::string(65536, 'w');
    const std::string page = page_of(group);
    EXPECT_THAT(page, HasSubstr("www…</h1>"));
    EXPECT_THAT(page, HasSubstr("The whole prompt"));
    EXPECT_THAT(page, HasSubstr(group.record.prompt));
}

TEST(SetPage, EscapesEverything) {
    Group group = hostile_group();
    auto names = file_names(group.images.size());
    names[0] = kMarkup;
    const std::string page = gallery::set_page(group, group.record, names);
    const std::vector<Tag> tags = tags_of(page);
    EXPECT_EQ(count(tags, "script"), 1U);
    EXPECT_EQ(count(tags, "h1"), 1U);
    EXPECT_EQ(count(tags, "img"), 5U);
    for (const Tag& tag : tags) {
        for (const auto& [name, value] : tag.attributes) EXPECT_FALSE(name.starts_with("on")) << name;
    }
    EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
    EXPECT_THAT(page, Not(HasSubstr("\x1b")));
    EXPECT_EQ(page.find('\0'), std::string::npos);
    EXPECT_THAT(page, Not(HasSubstr("nan")));
    // Any bytes that are no UTF-8 would make the JSON library complain.
    EXPECT_NO_THROW((void)Json(page).dump());
}

TEST(SetPage, AsksNobodyForAnything) {
    for (const Group& group : {sample_group(), hostile_group()}) {
        const std::string page = page_of(group);
        for (const Tag& tag : tags_of(page)) {
            EXPECT_THAT(tag.name, Not(AnyOf("link", "iframe", "object", "embed", "base", "form")));
            for (const auto& [name, value] : tag.attributes) {
                if (name == "src" || name == "href") {
                    EXPECT_TRUE(value.starts_with("000")) << value;
                }
                if (name == "http-equiv") {
                    EXPECT_EQ(value, "Content-Security-Policy");
                }
                EXPECT_THAT(name, Not(AnyOf("srcset", "action", "style", "xlink:href")));
            }
        }
        EXPECT_THAT(page, HasSubstr("default-src 'none'; img-src 'self' file:; style-src 'unsafe-inline'; "
                                    "script-src 'sha256-"));
        EXPECT_THAT(page, HasSubstr("base-uri 'none'; form-action 'none'"));
    }
}

TEST(SetPage, IsTheSameEveryTime) {
    EXPECT_EQ(page_of(sample_group()), page_of(sample_group()));
}

}  // namespace
}  // namespace gass
