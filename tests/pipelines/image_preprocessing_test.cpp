#include "pipelines/image_preprocessing.h"

#include "support/expect_error.h"

#include <ATen/ATen.h>
#include <rapidcheck/gtest.h>

namespace gass {
namespace {

RC_GTEST_PROP(ResizeBicubic, IsTorchsAntialiasedOne, ()) {
    // From 2: of images one pixel wide LibTorch 2.13 returns the first row again and again.
    const auto side = [] { return *rc::gen::inRange<std::int64_t>(2, 90); };
    const at::Tensor images = at::rand({2, 3, side(), side()}, at::detail::createCPUGenerator(1), at::kFloat);
    const std::int64_t height = side();
    const std::int64_t width = side();
    RC_ASSERT(at::allclose(resize_bicubic(images, height, width),
                           at::_upsample_bicubic2d_aa(images, {height, width}, false), 1e-4,
                           1e-4));  // its weights are rounded
}

TEST(ImagePreprocessing, CutsTheMiddleOut) {
    const ImagePreprocessing plain{.shortest_edge = 8, .crop = 6, .mean = {0, 0, 0}, .deviation = {1, 1, 1}};
    const at::Tensor images = at::arange(8 * 12, at::kFloat).view({1, 1, 8, 12}).expand({1, 3, 8, 12}) / 96;
    const at::Tensor cut = plain(images * 2 - 1);
    EXPECT_TRUE(at::allclose(cut, images.narrow(2, 1, 6).narrow(3, 3, 6), 1e-5, 1e-6));
}

TEST(ImagePreprocessing, ReadsWhatTransformersWrites) {
    const auto read = [](const Json& json) {
        return ImagePreprocessing::from(PreprocessorConfig::from_json(json, "here"), "here");
    };
    EXPECT_EQ(read(Json::object()).crop, 224);
    EXPECT_EQ(read({{"size", 336}, {"crop_size", 336}}).shortest_edge, 336);
    const ImagePreprocessing both =
        read({{"size", {{"shortest_edge", 64}}}, {"crop_size", {{"height", 60}, {"width", 60}}}});
    EXPECT_EQ(both.shortest_edge, 64);
    EXPECT_EQ(both.crop, 60);
    const auto refused = [&](const Json& json) {
        test::expect_error(ErrorCode::model_invalid, "[here]", [&] { read(json); });
    };
    refused({{"size", {{"height", 64}, {"width", 64}}}});  // no shortest edge
    refused({{"crop_size", {{"height", 60}, {"width", 61}}}});
    refused({{"size", 0}});
    refused({{"size", 1e9}});
    refused({{"image_mean", {1, 2}}});
    refused({{"image_std", {1, 0, 1}}});
    refused({{"do_center_crop", false}});
    refused({{"resample", 2}});
    refused(Json::array());
}

}  // namespace
}  // namespace gass
