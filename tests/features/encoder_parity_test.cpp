#include "features/encoder.h"
#include "features/features_fixture.h"
#include "features/reward_model.h"

#include <fmt/format.h>

#include <cstdlib>

namespace gass {
namespace {

constexpr const char* kPrompt = "a red car in front of a house";

/// The embedded models are found without an installation.
class EncoderParity : public ::testing::Test {
  protected:
    void SetUp() override {
        const std::filesystem::path data = std::filesystem::path(GASS_MODELS_DIR).parent_path();
        ASSERT_EQ(::setenv("GASS_DATA_DIR", data.c_str(), 1), 0);
    }
};

std::string model_named(const std::string& name) {
    const bool here = name.starts_with("mini-") || name == "pixels";
    return here ? name : (test::features_fixture() / name).string();
}

at::Tensor prepared(const Preprocessing& preprocessing, const std::string& picture) {
    Pixels pixels = preprocessing(test::fixture_picture(picture));
    return at::from_blob(pixels.values.data(), {1, 3, pixels.height, pixels.width}, at::kFloat).clone();
}

double relative_error(const at::Tensor& ours, const at::Tensor& reference) {
    return ((ours - reference).norm() / reference.norm()).item<double>();
}

void expect_features(const std::string& fixture_name, const EncoderRequest& request, const char* kind) {
    const std::unique_ptr<FeatureEncoder> encoder = open_encoder(request, {});
    EXPECT_EQ(encoder->kind(), kind);
    std::size_t compared = 0;
    double worst = 0;
    for (const auto& [key, expected] : test::fixture_tensors("features.safetensors")) {
        const std::vector<std::string> parts = test::name_parts(key);
        if (parts.at(0) != fixture_name || parts.at(1) == "text") continue;
        const at::Tensor features = encoder->encode(prepared(encoder->preprocessing(), parts.at(1)));
        ASSERT_EQ(features.sizes(), (std::vector<std::int64_t>{1, encoder->dimension()})) << key;
        ASSERT_EQ(features.scalar_type(), at::kFloat);
        const double error = relative_error(features[0], expected);
        EXPECT_LE(error, 1e-4) << key;
        worst = std::max(worst, error);
        ++compared;
    }
    EXPECT_GE(compared, 2U);
    fmt::print("features {} {:.1e}\n", fixture_name, worst);
}

TEST_F(EncoderParity, ClipsFeaturesAreTransformers) {
    for (const char* name : {"clip", "clip-vision", "mini-clip"})
        expect_features(name, {model_named(name)}, "clip");
}

TEST_F(EncoderParity, ClipsTextFeaturesAreTransformers) {
    const std::unique_ptr<FeatureEncoder> encoder = open_encoder({"mini-clip"}, {});
    ASSERT_TRUE(encoder->reads_text());
    const at::Tensor expected = test::fixture_tensors("features.safetensors").at("mini-clip/text");
    EXPECT_LE(relative_error(encoder->encode_text(kPrompt), expected), 1e-4);
}

TEST_F(EncoderParity, Dinov2sFeaturesAreTransformers) {
    expect_features("dinov2", {model_named("dinov2")}, "dinov2");
}

TEST_F(EncoderParity, TheJudgesFeaturesAreTorchvisions) {
    expect_features("mini-judge", {"mini-judge"}, "sscd");
    expect_features("mini-judge-256", {.name = "mini-judge", .resize_first = 256}, "sscd");
}

TEST_F(EncoderParity, InceptionsFeaturesAreThoseOfFid) {
    const std::string folder = model_named("inception-fid");
    expect_features("inception-fid", {folder}, "inception-fid");
    expect_features("inception-fid-clean", {.name = folder, .clean = true}, "inception-fid");
}

TEST_F(EncoderParity, PixelsAreThoseOfVendiScore) {
    expect_features("pixels", {"pixels"}, "pixels");
}

TEST_F(EncoderParity, RewardsAreThoseOfTheReference) {
    const RewardModel reward(model_named("image-reward"), 0, {});
    std::size_t compared = 0;
    for (const auto& [key, expected] : test::fixture_tensors("features.safetensors")) {
        const std::vector<std::string> parts = test::name_parts(key);
        if (parts.at(0) != "image-reward") continue;
        const at::Tensor pixels = prepared(reward.preprocessing(), parts.at(1));
        const at::Tensor scores = reward.scores(at::cat({pixels, pixels}), {kPrompt, kPrompt});
        ASSERT_EQ(scores.sizes(), (std::vector<std::int64_t>{2})) << key;
        EXPECT_LE((scores - expected).abs().max().item<double>(), 1e-4) << key;
        ++compared;
    }
    EXPECT_GE(compared, 5U);
    EXPECT_EQ(reward.fingerprint().size(), 32U);
}

}  // namespace
}  // namespace gass
