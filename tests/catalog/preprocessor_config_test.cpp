// preprocessor_config.json, for those who measure and those who guide alike.

#include "catalog/preprocessor_config.h"

#include "support/expect_error.h"

#include <gtest/gtest.h>

#include <vector>

namespace gass {
namespace {

TEST(PreprocessorConfig, ReadsBothFormsOfASize) {
    const auto read = [](const Json& json) { return PreprocessorConfig::from_json(json, "here"); };
    EXPECT_TRUE(read({{"size", 64}}).keeps_shape);
    EXPECT_EQ(read({{"size", {{"shortest_edge", 64}}}}).size, (PictureSize{64, 64}));
    EXPECT_FALSE(read({{"size", {{"height", 3}, {"width", 4}}}}).keeps_shape);
    EXPECT_EQ(read({{"crop_size", {{"height", 3}, {"width", 4}}}}).crop, (PictureSize{3, 4}));
    EXPECT_FALSE(read({{"do_normalize", false}}).normalizes);
}

TEST(PreprocessorConfig, RefusesHostileValues) {
    const std::vector<Json> hostile{
        {{"size", 0}},
        {{"size", -3}},
        {{"size", 1e9}},
        {{"size", std::uint64_t{1} << 63U}},
        {{"size", "224"}},
        {{"size", {{"shortest_edge", 224}, {"longest_edge", 500}}}},
        {{"size", {{"height", 224}}}},
        {{"size", {224, 224}}},
        {{"crop_size", {{"height", 60}, {"width", "60"}}}},
        {{"crop_size", true}},
        {{"resample", 0}},
        {{"resample", "bicubic"}},
        {{"rescale_factor", 0}},
        {{"rescale_factor", "1/255"}},
        {{"image_mean", {1, 2}}},
        {{"image_mean", 0.5}},
        {{"image_std", {1, 0, 1}}},
        {{"do_resize", 1}},
        {{"do_pad", true}},
        {{"image_processor_type", "ViTImageProcessor"}},
        Json::array(),
    };
    for (const Json& json : hostile)
        test::expect_error(ErrorCode::model_invalid, "[here]",
                           [&] { PreprocessorConfig::from_json(json, "here"); });
}

}  // namespace
}  // namespace gass
