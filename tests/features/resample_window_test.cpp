#include "io/resample.h"
#include "support/expect_error.h"

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>
#include <utility>

namespace gass {
namespace {

Image noise(std::int64_t height, std::int64_t width) {
    std::minstd_rand generator(7);
    Image image{static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height), {}};
    image.rgb.resize(static_cast<std::size_t>(height * width * 3));
    std::ranges::generate(image.rgb, [&] { return static_cast<std::uint8_t>(generator() >> 8U); });
    return image;
}

std::uint8_t level(const Image& image, std::int64_t y, std::int64_t x, std::int64_t colour) {
    return image.rgb.at(static_cast<std::size_t>((y * image.width + x) * 3 + colour));
}

Filter any_filter() {
    return *rc::gen::element(Filter::bilinear, Filter::bicubic, Filter::lanczos);
}

RC_GTEST_PROP(ResampleWindow, IsAPartOfTheWhole, ()) {
    const auto side = [] { return *rc::gen::inRange<std::int64_t>(1, 60); };
    const Image image = noise(side(), side());
    const PictureSize size{side(), side()};
    Window window;
    window.left = *rc::gen::inRange<std::int64_t>(0, size.width);
    window.top = *rc::gen::inRange<std::int64_t>(0, size.height);
    window.width = *rc::gen::inRange<std::int64_t>(1, size.width - window.left + 1);
    window.height = *rc::gen::inRange<std::int64_t>(1, size.height - window.top + 1);
    const Filter filter = any_filter();
    const Image whole = resize(image, size, filter);
    const Image part = resize(image, size, filter, window);
    RC_ASSERT(part.width == window.width);
    RC_ASSERT(part.height == window.height);
    for (std::int64_t y = 0; y < window.height; ++y) {
        for (std::int64_t x = 0; x < window.width; ++x) {
            for (std::int64_t c = 0; c < 3; ++c)
                RC_ASSERT(level(part, y, x, c) == level(whole, window.top + y, window.left + x, c));
        }
    }
}

RC_GTEST_PROP(ResampleWindow, KeepsOneColourAsItIs, ()) {
    const auto side = [] { return *rc::gen::inRange<std::int64_t>(1, 200); };
    const auto shade = *rc::gen::arbitrary<std::uint8_t>();
    Image image = noise(side(), side());
    std::ranges::fill(image.rgb, shade);
    const Image resized = resize(image, {side(), side()}, any_filter());
    RC_ASSERT(std::ranges::all_of(resized.rgb, [&](std::uint8_t value) { return value == shade; }));
}

TEST(ResampleWindow, TakesNoMemoryForTheRest) {
    // The whole would be 4,480,000 × 224 pixels.
    const Image wide = resize(noise(1, 20000), {224, 4480000}, Filter::bicubic, {2239888, 0, 224, 224});
    EXPECT_EQ(wide.rgb.size(), 224U * 224U * 3U);
    const Image high = resize(noise(20000, 1), {4480000, 224}, Filter::bicubic, {0, 2239888, 224, 224});
    EXPECT_EQ(high.rgb.size(), 224U * 224U * 3U);
}

TEST(ResampleWindow, RefusesWhatFillsTheMemoryOnTheWay) {
    const Image wide = noise(1, 30000000);
    Image high = wide;
    std::swap(high.width, high.height);
    const auto refused = [](const char* part, const auto& action) {
        test::expect_error(ErrorCode::model_invalid, part, action);
    };
    refused("30000000", [&] { resize(wide, {256, 256}, Filter::lanczos); });
    refused("30000000", [&] { resize_unrounded(high, {299, 299}, Filter::bicubic); });
    refused("256×30000000", [&] { resize(high, {30000000, 256}, Filter::bilinear); });
}

}  // namespace
}  // namespace gass
