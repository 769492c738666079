// The drawing: axes, places of pictures, and text in SVG.

#include "explain/figure.h"
#include "explain/geometry.h"
#include "explain/labels.h"
#include "explain/push_apart.h"
#include "explain/raster.h"
#include "explain/svg.h"
#include "explain/thumbnails.h"
#include "explain/ticks.h"
#include "text/base64.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <span>

namespace gass::explain {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

std::vector<std::string> labels(Range range, std::size_t most) {
    std::vector<std::string> result;
    for (const Tick& tick : ticks(range, most)) result.push_back(tick.label);
    return result;
}

TEST(Ticks, AreRound) {
    EXPECT_THAT(labels({-0.5, 0.6}, 6), ElementsAre("−0.4", "−0.2", "0.0", "0.2", "0.4", "0.6"));
    EXPECT_THAT(labels({0.3735, 0.3975}, 6), ElementsAre("0.375", "0.380", "0.385", "0.390", "0.395"));
    EXPECT_THAT(labels({0, 1000}, 5), ElementsAre("0", "500", "1000"));
}

TEST(Ticks, TellNarrowRangesApart) {
    const Range range = range_of({0.38, 0.38});
    EXPECT_LT(range.low, 0.38);
    EXPECT_GT(range.high, 0.38);
    EXPECT_THAT(labels(range, 4), testing::Contains("0.3800000"));
    EXPECT_THAT(labels(range_of({}), 4), testing::Contains("0.5"));
}

RC_GTEST_PROP(Ticks, LieWithinAnyRange,
              (int low, unsigned span, unsigned char exponent, unsigned char more)) {
    const double unit = std::pow(10.0, exponent % 12 - 8);
    const double start = (low % 1000) * unit;
    const Range range = range_of({start, start + (span % 1000) * unit});
    const std::size_t most = 2 + more % 8;
    const auto list = ticks(range, most);
    RC_ASSERT(!list.empty() && list.size() <= most);
    for (std::size_t i = 0; i < list.size(); ++i) {
        const double slack = 1e-6 * (range.high - range.low);
        RC_ASSERT(list[i].value >= range.low - slack && list[i].value <= range.high + slack);
        if (i > 0) RC_ASSERT(list[i].label != list[i - 1].label);
    }
}

Area box_at(Point center, double width, double height) {
    return {center.x - width / 2, center.y - height / 2, width, height};
}

RC_GTEST_PROP(PushApart, LeavesNoOverlap, ()) {
    const Area bounds{10, 20, 500, 400};
    const auto raw = *rc::gen::resize(40, rc::gen::container<std::vector<std::pair<int, int>>>(rc::gen::pair(
                                              rc::gen::inRange(0, 520), rc::gen::inRange(0, 430))));
    std::vector<Point> wanted;
    for (const auto& [x, y] : raw) wanted.push_back({static_cast<double>(x), static_cast<double>(y)});
    const auto places = push_apart(wanted, 69, 83, bounds);
    RC_ASSERT(places == push_apart(wanted, 69, 83, bounds));
    if (wanted.size() <= 20) RC_ASSERT(places.has_value());
    if (!places) return;
    RC_ASSERT(places->size() == wanted.size());
    for (std::size_t i = 0; i < places->size(); ++i) {
        const Area own = box_at((*places)[i], 69, 83);
        RC_ASSERT(bounds.contains(box_at((*places)[i], 68.99, 82.99)));
        for (std::size_t j = 0; j < i; ++j) RC_ASSERT(!own.overlaps(box_at((*places)[j], 68.99, 82.99)));
    }
}

TEST(PushApart, MovesNothingWithoutNeedAndKnowsWhenThereIsNoRoom) {
    const std::vector<Point> apart{{50, 50}, {150, 50}};
    EXPECT_EQ(push_apart(apart, 60, 60, {0, 0, 200, 100}), apart);
    EXPECT_EQ(push_apart(std::vector<Point>(5, {50, 50}), 60, 60, {0, 0, 200, 100}), std::nullopt);
    EXPECT_EQ(push_apart({{0, 0}}, 60, 60, {0, 0, 50, 100}), std::nullopt);
    EXPECT_THAT(push_apart(std::vector<Point>(3, {50, 50}), 60, 60, {0, 0, 200, 100}),
                testing::Optional(SizeIs(3)));
}

TEST(Svg, EscapesText) {
    EXPECT_EQ(xml_escaped("<a href='x'>\"&\"</a>"), "&lt;a href=&#39;x&#39;&gt;&quot;&amp;&quot;&lt;/a&gt;");
    EXPECT_EQ(xml_escaped("tab\tnew\nline"), "tab new line");
    EXPECT_EQ(xml_escaped(std::string_view("\x01 \0 \xFF \xEF\xBF\xBF", 9)), "\uFFFD \uFFFD \uFFFD \uFFFD");
    EXPECT_EQ(xml_escaped("]]> – 車"), "]]&gt; – 車");
}

GroupStory small_story() {
    GroupStory story;
    story.prompt = "</svg><script>alert(1)</script> ]]> -->";
    story.model = "/models/<b>";
    story.method = "gass:strength=0.5";
    story.pictures = {{"0000.png", 42}, {"0001.png", 18446744073709551615U}};
    story.spread = Spread{};
    story.spread->along = {0.3, 0.3};
    story.spread->across = {-0.1, -0.1};
    return story;
}

TEST(Figure, HoldsHostileTextAndEmbedsPictures) {
    const std::string svg =
        to_svg(draw_figure(small_story(), {Image{2, 1, {1, 2, 3, 4, 5, 6}}, std::nullopt}));
    EXPECT_TRUE(svg.starts_with("<svg "));
    EXPECT_THAT(svg, HasSubstr(kSvgMark));
    EXPECT_THAT(svg, Not(HasSubstr("<script")));
    EXPECT_THAT(svg, HasSubstr("&lt;script&gt;"));
    EXPECT_THAT(svg, HasSubstr("data:image/png;base64,iVBOR"));
    EXPECT_THAT(svg, HasSubstr(">42</text>"));
}

TEST(Figure, HasTheSameSizeInPixels) {
    const Scene scene = draw_figure(small_story(), {});
    const Image image = to_image(scene);
    EXPECT_EQ(image.width, static_cast<std::uint32_t>(scene.width) * kPixelsPerUnit);
    EXPECT_EQ(image.height, static_cast<std::uint32_t>(scene.height) * kPixelsPerUnit);
}

TEST(Raster, SmoothsEdges) {
    Scene scene;
    scene.width = scene.height = 10;
    scene.add(Disc{{5, 5}, 3, {Color{0, 0, 0}, {}, 1}});
    const Image image = to_image(scene);
    const auto red = [&](std::size_t x, std::size_t y) { return image.rgb[(y * image.width + x) * 3]; };
    EXPECT_EQ(red(10, 10), 0);
    EXPECT_EQ(red(0, 0), 255);
    EXPECT_GT(red(5, 6), 0);
    EXPECT_LT(red(5, 6), 255);
}

TEST(Thumbnails, KeepTheAspect) {
    const Image wide{40, 10, std::vector<std::uint8_t>(std::size_t{40} * 10 * 3, 7)};
    for (const std::uint32_t side : {20U, 40U, 128U}) {
        const Image image = fitted(wide, side);
        EXPECT_EQ(image.width, side);
        EXPECT_EQ(image.height, side / 4);
    }
    EXPECT_EQ(fitted(Image{1000, 1, std::vector<std::uint8_t>(3000, 7)}, 128).height, 1U);
}

TEST(SeedLabels, KeepTheLastDigits) {
    EXPECT_EQ(seed_label(1234567890), "1234567890");
    EXPECT_EQ(seed_label(18446744073709551615U), "…709551615");
}

TEST(Base64, GoesThereAndBack) {
    for (const std::string text : {"", "f", "fo", "foo", "foob", "\xFF\xFE"}) {
        const std::string encoded = encode_base64(std::as_bytes(std::span(text)));
        EXPECT_EQ(decode_base64(encoded, "test"), text);
    }
    constexpr std::string_view kText = "foob";
    EXPECT_EQ(encode_base64(std::as_bytes(std::span(kText))), "Zm9vYg==");
}

}  // namespace
}  // namespace gass::explain
