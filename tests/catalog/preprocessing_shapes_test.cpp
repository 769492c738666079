#include "catalog/preprocessing.h"
#include "support/expect_error.h"

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

namespace gass {
namespace {

Image gray(std::uint32_t height, std::uint32_t width, std::uint8_t shade = 100) {
    return {width, height, std::vector<std::uint8_t>(std::size_t{width} * height * 3, shade)};
}

std::vector<Preprocessing> all_kinds() {
    const std::array<double, 3> half{0.5, 0.5, 0.5};
    std::vector<Preprocessing> kinds{Preprocessing::clip(24),
                                     Preprocessing::dinov2(),
                                     Preprocessing::sscd(24, half, half),
                                     Preprocessing::inception(),
                                     Preprocessing::inception_fid(false),
                                     Preprocessing::inception_fid(true),
                                     Preprocessing::lpips(24),
                                     Preprocessing::image_reward(24, half, half),
                                     Preprocessing::pixels()};
    for (std::size_t i = 0, count = kinds.size(); i < count; ++i) {
        kinds.push_back(kinds[i]);
        kinds.back().lanczos_first = 40;
    }
    return kinds;
}

TEST(PreprocessingShapes, KeepWhatTheyPromise) {
    for (const Preprocessing& kind : all_kinds()) {
        for (const Image& image : {gray(1, 1), gray(1, 60), gray(60, 1), gray(3, 5), gray(64, 33)}) {
            const Pixels pixels = kind(image);
            ASSERT_EQ(pixels.values.size(), static_cast<std::size_t>(3 * pixels.height * pixels.width));
            if (kind.result_size()) {
                EXPECT_EQ(*kind.result_size(), (PictureSize{pixels.height, pixels.width}))
                    << kind.description();
            }
            for (std::size_t c = 0; c < 3; ++c) {
                const double level = kind.scaling == Scaling::clean ? 100 : 100 * kind.factor;
                const double expected = (level - kind.mean.at(c)) / kind.deviation.at(c);
                const auto plane = static_cast<std::ptrdiff_t>(pixels.values.size() / 3 * c);
                EXPECT_TRUE(std::all_of(pixels.values.begin() + plane,
                                        pixels.values.begin() + plane + pixels.height * pixels.width,
                                        [&](float value) { return std::abs(value - expected) < 1e-4; }))
                    << kind.description();
            }
        }
    }
}

TEST(PreprocessingShapes, TakeExtremePictures) {
    for (const Image& image : {gray(1, 20000), gray(20000, 1)}) {
        EXPECT_EQ(Preprocessing::clip(224)(image).values.size(), 3U * 224U * 224U);
        EXPECT_EQ(Preprocessing::inception()(image).values.size(), 3U * 299U * 299U);
        EXPECT_EQ(Preprocessing::inception_fid(true)(image).values.size(), 3U * 299U * 299U);
        EXPECT_EQ(Preprocessing::inception_fid(false)(image).values.size(), 3U * 299U * 299U);
    }
}

TEST(PreprocessingShapes, RefuseWhatNoNetworkTakes) {
    const auto sscd = Preprocessing::sscd(288, {0, 0, 0}, {1, 1, 1});
    test::expect_error(ErrorCode::model_invalid, "5760000", [&] { sscd(gray(1, 20000)); });
    test::expect_error(ErrorCode::model_invalid, "no pixels", [&] { sscd(Image{}); });
    Preprocessing squared = sscd;
    squared.lanczos_first = 256;
    EXPECT_EQ(squared(gray(1, 20000)).width, 288);
}

TEST(PreprocessingShapes, PutBlackAroundSmallPictures) {
    Preprocessing bordered{.scaling = Scaling::none,
                           .crop = PictureSize{4, 5},
                           .factor = 1,
                           .mean = {0, 0, 0},
                           .deviation = {1, 1, 1}};
    const auto row_sums = [&] {
        const Pixels pixels = bordered(gray(1, 2, 7));
        std::vector<float> sums(4);
        for (std::size_t i = 0; i < 20; ++i) sums[i / 5] += pixels.values[i];
        return sums;
    };
    EXPECT_EQ(row_sums(), (std::vector<float>{0, 0, 14, 0}));  // the larger border comes first
    bordered.middle = Middle::torchvision;
    EXPECT_EQ(row_sums(), (std::vector<float>{0, 14, 0, 0}));
}

TEST(PreprocessingDescription, TellsKindsApart) {
    std::set<std::string> texts;
    for (const Preprocessing& kind : all_kinds()) texts.insert(kind.description());
    EXPECT_EQ(texts.size(), all_kinds().size());
    Preprocessing clip = Preprocessing::clip(224);
    clip.lanczos_first = 256;
    EXPECT_EQ(
        clip.description(),
        "lanczos 256x256; shortest edge 224 bicubic; centre 224x224; times 1/255; mean 0.48145466 0.4578275 "
        "0.40821073 std 0.26862954 0.26130258 0.27577711");
}

TEST(Preprocessing, FillsInTransformersDefaults) {
    const auto read = [](const Json& json) {
        return Preprocessing::from(PreprocessorConfig::from_json(json, "here"));
    };
    EXPECT_EQ(read(Json::object()).description(), Preprocessing::clip(224).description());
    EXPECT_EQ(read({{"size", 64}, {"crop_size", 60}}).size, (PictureSize{64, 64}));
    EXPECT_EQ(read({{"size", {{"height", 3}, {"width", 4}}}}).scaling, Scaling::exact);
    EXPECT_EQ(read({{"do_resize", false}}).scaling, Scaling::none);
    EXPECT_EQ(read({{"do_center_crop", false}}).crop, std::nullopt);
    EXPECT_EQ(read({{"do_rescale", false}}).factor, 1);
}

}  // namespace
}  // namespace gass
