#include "gallery/words.h"

#include "gallery/sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gass {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(PictureLabel, NamesTheSeed) {
    EXPECT_EQ(gallery::picture_label(sample_group(), 3), "seed 45");
}

TEST(PictureLabel, NamesTheSeedThatAnImageVariesTowards) {
    Group group = sample_group();
    group.record.variation = Variation{100, 0.3};
    group.images[3].place = 7;  // of its candidates
    EXPECT_EQ(gallery::picture_label(group, 3), "seed 45 → 107");
}

TEST(PictureLabel, HasTheTextWhereThePromptHasChoices) {
    Group group = sample_group(2);
    group.images[1].prompt = "a blue car";
    EXPECT_EQ(gallery::picture_label(group, 0), "seed 42: a red car");
    EXPECT_EQ(gallery::picture_label(group, 1), "seed 43: a blue car");
}

TEST(AxisLines, SayHowFarAPictureIsOnEachAxis) {
    Record record;
    record.settings.vary = "at night|at noon; red|blue";
    const auto lines = [&](std::vector<double> places) {
        GroupImage image;
        image.axis_places = std::move(places);
        return gallery::axis_lines(record, image);
    };
    EXPECT_THAT(lines({-1, 1}), ElementsAre("at night", "blue"));
    EXPECT_THAT(lines({0, 1.0 / 3}), ElementsAre("at noon 50 %", "blue 67 %"));
    EXPECT_THAT(lines({-0.999, 0.999}), ElementsAre("at night", "blue"));
    EXPECT_THAT(lines({0.5}), ElementsAre("at noon 75 %"));  // more axes than places, and the other way round
    EXPECT_THAT(lines({0, 0, 0}), ElementsAre("at noon 50 %", "blue 50 %"));
    EXPECT_THAT(lines({}), IsEmpty());
    record.settings.vary = std::nullopt;
    EXPECT_THAT(lines({0.5}), IsEmpty());
}

TEST(OriginLine, SaysHowASetWasMade) {
    Record record = sample_group().record;
    EXPECT_EQ(gallery::origin_line(record),
              "mini-flow · 28 steps · CFG 4.5 · 128x128 · method gass, strength 0.8");
    record.settings.steps = 1;
    record.settings.method = "cads:scale=0.2,tau1=0.6,tau2=0.9+gass:interval=1,strength=0.5";
    EXPECT_EQ(
        gallery::origin_line(record),
        "mini-flow · 1 step · CFG 4.5 · 128x128 · method cads, scale 0.2, tau1 0.6 + gass, strength 0.5");
}

TEST(WishLines, AreWhatElseWasAskedFor) {
    Record record = sample_group(2).record;
    EXPECT_THAT(gallery::wish_lines(record),
                ElementsAre("without: rain, fog", "varied from “at night” to “at noon”"));
    record.settings.negative_prompt = "";
    record.settings.vary = std::nullopt;
    EXPECT_THAT(gallery::wish_lines(record), IsEmpty());
    record.variation = Variation{100, 0.3};
    record.start_image = StartImage{.file = "/pictures/car.png", .strength = 0.6};
    record.shield = {"/pictures/a.png"};
    EXPECT_THAT(gallery::wish_lines(record),
                ElementsAre("variations of seed 42, strength 0.3", "from car.png, 60 % made anew",
                            "kept away from 1 picture"));
    record.shield.emplace_back("/pictures/b.png");
    EXPECT_EQ(gallery::wish_lines(record).back(), "kept away from 2 pictures");
}

}  // namespace
}  // namespace gass
