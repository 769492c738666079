// What drawings are made of: axes, places for boxes and labels, SVG and pixels.

#include "plot/axis.h"
#include "plot/geometry.h"
#include "plot/labels.h"
#include "plot/scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace gass::plot {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

std::vector<std::string> labels(Range range, std::size_t max_count) {
    std::vector<std::string> result;
    for (const Tick& tick : ticks(range, max_count)) result.push_back(tick.label);
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
    const std::size_t max_count = 2 + more % 8;
    const auto list = ticks(range, max_count);
    RC_ASSERT(!list.empty() && list.size() <= max_count);
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

TEST(Labels, StandBesideAMarkWhereNothingElseIs) {
    Labels labels({0, 0, 100, 100}, {.gap = 2});
    const auto right = labels.take({50, 50}, 4, 20, 10);
    ASSERT_TRUE(right);
    EXPECT_EQ(right->left, 56);
    EXPECT_EQ(right->center().y, 50);
    const auto left = labels.take({50, 50}, 4, 20, 10);
    ASSERT_TRUE(left);
    EXPECT_EQ(left->right(), 44);
    labels.keep_off_line({50, 0}, {50, 100});
    EXPECT_FALSE(labels.take({50, 50}, 4, 20, 10));
    EXPECT_FALSE(labels.take({99, 50}, 4, 60, 100));
}

TEST(Labels, StandAtCornersOnlyWhereAllowed) {
    for (const bool at_corners : {false, true}) {
        Labels labels({0, 0, 100, 100}, {.gap = 2, .at_corners = at_corners});
        for (int side = 0; side < 4; ++side) EXPECT_TRUE(labels.take({50, 50}, 10, 8, 8));
        EXPECT_EQ(labels.take({50, 50}, 10, 8, 8).has_value(), at_corners);
    }
}

TEST(SeedLabels, KeepTheLastDigits) {
    EXPECT_EQ(seed_label(1234567890), "1234567890");
    EXPECT_EQ(seed_label(18446744073709551615U), "…709551615");
}

}  // namespace
}  // namespace gass::plot
