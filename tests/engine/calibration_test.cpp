#include "engine/calibration.h"

#include "core/json.h"
#include "io/file.h"
#include "support/expect_error.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace gass {
namespace {

TEST(DialPoints, SpreadGrowsEvenlyUpToTheFall) {
    // Vendi rises by 10 an effort; CLIPScore falls by .04 an effort, so a fall of .02 is reached at .5.
    std::vector<EffortMeasured> measured;
    for (const double effort : {0.0, 0.25, 0.75, 1.0})
        measured.push_back({.effort = effort, .vendi = 2 + 10 * effort, .clip_score = 0.4 - 0.04 * effort});
    const auto points = dial_points(measured, 0.02);
    ASSERT_EQ(points.size(), 5U);
    for (const auto& [strength, effort] : points) EXPECT_NEAR(effort, 0.5 * strength, 1e-3);
    EXPECT_NEAR(dial_points(measured, 0.5).back().second, 1.0, 1e-3);  // it never falls so far
}

TEST(DialPoints, RiseEvenWhereMeasurementsDoNot) {
    const std::vector<EffortMeasured> measured{
        {0.0, 2.0, 0.40}, {0.3, 3.0, 0.41}, {0.6, 2.9, 0.39}, {1.0, 4.0, 0.35}};
    const auto points = dial_points(measured, 0.03);
    for (std::size_t i = 1; i < points.size(); ++i) EXPECT_GT(points[i].second, points[i - 1].second);
}

TEST(DialPoints, NeedsSpreadThatGrows) {
    test::expect_error(ErrorCode::failure, "calibrate", [] {
        dial_points({{0.0, 2.0, 0.4}, {0.5, 2.0, 0.39}, {1.0, 1.9, 0.3}}, 0.02);
    });
}

TEST(DialPoints, OfTheEmbeddedModelsFollowFromWhatWasMeasured) {
    for (const char* model : {"mini-flow", "mini-unet", "mini-turbo"}) {
        const auto file = std::filesystem::path(GASS_MODELS_DIR) / model / "gass.json";
        const Json dial = parse_json(read_text_file(file), model).at("dial");
        std::vector<EffortMeasured> measured;
        for (const Json& at : dial.at("measured"))
            measured.push_back({at.at("effort"), at.at("vendi"), at.at("clip_score")});
        const std::vector<std::pair<double, double>> committed = dial.at("points");
        EXPECT_EQ(dial_points(measured, dial.at("fall")), committed) << model;
    }
}

}  // namespace
}  // namespace gass
