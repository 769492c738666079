#include "features/encoder.h"

#include "catalog/known_encoders.h"
#include "features/reward_model.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

#include <ATen/ATen.h>

#include <cstdlib>
#include <filesystem>

namespace gass {
namespace {

namespace fs = std::filesystem;

/// Embedded models without an installation, and an empty Hugging Face cache.
class Encoder : public ::testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(::setenv("GASS_DATA_DIR", fs::path(GASS_MODELS_DIR).parent_path().c_str(), 1), 0);
        ASSERT_EQ(::setenv("HF_HUB_CACHE", folder_.path().c_str(), 1), 0);
    }

    /// A copy of the embedded CLIP with another file for its pictures, or with none.
    std::string clip_with(const std::string& preprocessing) const {
        const fs::path copy = folder_ / "clip";
        fs::remove_all(copy);
        fs::copy(fs::path(GASS_MODELS_DIR) / "mini-clip", copy);
        fs::remove(copy / "preprocessor_config.json");
        if (!preprocessing.empty()) folder_.write("clip/preprocessor_config.json", preprocessing);
        return copy.string();
    }

    test::TemporaryFolder folder_;
};

void refuses(ErrorCode code, const std::string& part, const EncoderRequest& request) {
    test::expect_error(code, part, [&] { open_encoder(request, {}); });
}

TEST_F(Encoder, TellsWhatItIs) {
    const std::unique_ptr<FeatureEncoder> encoder = open_encoder({"mini-clip"}, {});
    EXPECT_EQ(encoder->name(), "mini-clip");
    EXPECT_EQ(encoder->kind(), "clip");
    EXPECT_EQ(encoder->dimension(), 256);
    EXPECT_EQ(encoder->fingerprint().size(), 32U);
    EXPECT_EQ(encoder->preprocessing().crop, (PictureSize{64, 64}));
    const std::unique_ptr<FeatureEncoder> pixels = open_encoder({.name = "pixels", .resize_first = 256}, {});
    EXPECT_EQ(pixels->fingerprint(), "");
    EXPECT_EQ(pixels->dimension(), 3072);
    EXPECT_EQ(pixels->preprocessing().lanczos_first, 256);
}

TEST_F(Encoder, GivesNoGradientsAndTakesBatches) {
    const std::unique_ptr<FeatureEncoder> encoder = open_encoder({"mini-judge"}, {});
    const at::Tensor pictures = at::randn({3, 3, 96, 160}, at::detail::createCPUGenerator(1), at::kFloat);
    const at::Tensor together = encoder->encode(pictures.clone().requires_grad_(true));
    EXPECT_FALSE(together.requires_grad());
    EXPECT_FALSE(together.is_inference());
    for (std::int64_t i = 0; i < 3; ++i)
        EXPECT_TRUE(at::allclose(encoder->encode(pictures.narrow(0, i, 1))[0], together[i], 1e-4, 1e-5));
}

TEST_F(Encoder, OnlyClipReadsTexts) {
    const std::unique_ptr<FeatureEncoder> judge = open_encoder({"mini-judge"}, {});
    EXPECT_FALSE(judge->reads_text());
    test::expect_error(ErrorCode::usage, "\"mini-judge\" reads no texts",
                       [&] { judge->encode_text("a car"); });
}

TEST_F(Encoder, RefusesModelsThatEncodeNoPictures) {
    refuses(ErrorCode::usage, "\"mini-flow\" is a \"StableDiffusion3Pipeline\"", {"mini-flow"});
    refuses(ErrorCode::usage, "Dinov2Model", {"mini-unet"});
    refuses(ErrorCode::usage, "clean-fid", {.name = "mini-clip", .clean = true});
    refuses(ErrorCode::usage, "clean-fid", {.name = "pixels", .clean = true});
    refuses(ErrorCode::usage, "4097", {.name = "pixels", .resize_first = 4097});
    refuses(ErrorCode::usage, "-1", {.name = "pixels", .resize_first = -1});
    refuses(ErrorCode::model_not_found, "no model \"nobody/nothing\"", {"nobody/nothing"});
    test::expect_error(ErrorCode::usage, "ImageReward", [&] { RewardModel("mini-clip", 0, {}); });
}

TEST_F(Encoder, TellsWhereMissingOnesComeFrom) {
    refuses(ErrorCode::model_not_found, "https://huggingface.co/openai/clip-vit-base-patch32", {"clip"});
    refuses(ErrorCode::model_not_found, "Hugging Face cache " + folder_.path().string(),
            {"facebook/dinov2-base"});
    refuses(ErrorCode::model_not_found, "tools/convert_weights.py sscd sscd_disc_mixup.torchvision.pt sscd",
            {"sscd"});
    refuses(ErrorCode::model_not_found,
            "tools/convert_weights.py inception-torchvision inception_v3_google-0cc3c7bd.pth inception",
            {"inception"});
    refuses(ErrorCode::model_not_found, "pt_inception-2015-12-05-6726825d.pth inception-fid",
            {"inception-fid"});
    refuses(ErrorCode::model_not_found,
            "convert_weights.py lpips alexnet-owt-7be5be79.pth lpips --lin alex.pth", {"lpips"});
    test::expect_error(ErrorCode::model_not_found, "ImageReward.pt image-reward --vocab",
                       [&] { RewardModel("image-reward", 0, {}); });
    EXPECT_EQ(known_encoder("mini-clip"), nullptr);
}

TEST_F(Encoder, HoldsItsPreprocessingToTheNetwork) {
    const std::unique_ptr<FeatureEncoder> plain = open_encoder({clip_with("")}, {});
    EXPECT_EQ(plain->preprocessing().description(), Preprocessing::clip(64).description());
    refuses(ErrorCode::model_invalid, "takes 64x64", {clip_with("{}")});  // 224, by transformers' defaults
    refuses(ErrorCode::model_invalid, "takes 64x64", {clip_with(R"({"size": 64, "do_center_crop": false})")});
    refuses(ErrorCode::model_invalid, "\"size\"", {clip_with(R"({"size": "large"})")});
    refuses(ErrorCode::model_invalid, "preprocessor_config.json", {clip_with("not JSON")});
}

}  // namespace
}  // namespace gass
