#include "sheet/resize.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstdlib>
#include <numeric>

namespace gass {
namespace {

Image random_image() {
    Image image{*rc::gen::inRange<std::uint32_t>(1, 40), *rc::gen::inRange<std::uint32_t>(1, 40), {}};
    image.rgb = *rc::gen::container<std::vector<std::uint8_t>>(std::size_t{image.width} * image.height * 3,
                                                               rc::gen::arbitrary<std::uint8_t>());
    return image;
}

double mean(const Image& image) {
    return std::accumulate(image.rgb.begin(), image.rgb.end(), 0.0) / static_cast<double>(image.rgb.size());
}

TEST(Resize, ReducingUndoesEnlarging) {
    EXPECT_TRUE(rc::check([] {
        const Image image = random_image();
        const auto factor = *rc::gen::inRange<std::uint32_t>(1, 5);
        const Image large = enlarged(image, factor);
        RC_ASSERT(large.rgb.size() == image.rgb.size() * factor * factor);
        RC_ASSERT(reduced(large, image.width, image.height) == image);
    }));
}

TEST(Resize, ReducingKeepsTheMean) {
    EXPECT_TRUE(rc::check([] {
        const Image image = random_image();
        const auto width = *rc::gen::inRange<std::uint32_t>(1, image.width + 1);
        const auto height = *rc::gen::inRange<std::uint32_t>(1, image.height + 1);
        const Image small = reduced(image, width, height);
        RC_ASSERT(small.width == width && small.height == height);
        RC_ASSERT(std::abs(mean(small) - mean(image)) <= 0.51);  // rounding
    }));
}

TEST(Resize, PixelsAreTheMeanOfTheirArea) {
    const Image image{3, 1, {0, 0, 0, 90, 90, 90, 240, 240, 240}};
    EXPECT_EQ(reduced(image, 2, 1).rgb, (std::vector<std::uint8_t>{30, 30, 30, 190, 190, 190}));
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

}  // namespace
}  // namespace gass
