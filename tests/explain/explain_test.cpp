// The figure: hostile text, pictures, and the same in SVG and pixels.

#include "explain/figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gass::explain {
namespace {

using plot::kPixelsPerUnit;
using plot::kSvgMark;
using plot::Scene;
using plot::to_image;
using plot::to_svg;
using testing::HasSubstr;
using testing::Not;

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

}  // namespace
}  // namespace gass::explain
