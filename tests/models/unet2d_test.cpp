#include "models/unet2d.h"

#include "support/expect_error.h"
#include "support/parity_case.h"

#include <gtest/gtest.h>

namespace gass {
namespace {

void expect_refused(const char* config, const char* part) {
    test::expect_error(ErrorCode::model_invalid, part,
                       [&] { UNet2dConfig::from_json(parse_json(config, "config.json"), "config.json"); });
}

TEST(UNet2d, MatchesDiffusers) {
    for (const test::ParityCase& parity : test::parity_cases("unet", "unet2d")) {
        const auto config = UNet2dConfig::from_json(parity.config, parity.config_path);
        const auto network =
            nn::load_network<UNet2d>(parity.weights, config, parity.placement, "UNet2DConditionModel");
        test::expect_parity(parity, [&](const test::Tensors& in) -> test::Tensors {
            return {{"out", network(in.at("sample"), in.at("timestep"), in.at("context"))}};
        });
    }
}

TEST(UNet2d, ReadsStableDiffusion2) {
    const auto config = UNet2dConfig::from_json(
        parse_json(R"({"attention_head_dim": [5, 10, 20, 20], "cross_attention_dim": 1024, "sample_size": 96,
                       "use_linear_projection": true, "upcast_attention": true})",
                   "config.json"),
        "config.json");
    ASSERT_EQ(config.levels.size(), 4U);
    EXPECT_EQ(config.levels[1].channels, 640);
    EXPECT_EQ(config.levels[1].heads, 10);
    EXPECT_TRUE(config.levels[2].up_attention);
    EXPECT_FALSE(config.levels[3].down_attention);
    EXPECT_FALSE(config.levels[3].up_attention);
    EXPECT_EQ(config.time_embedding_dim, 1280);
    EXPECT_EQ(config.sample_size, 96);
}

TEST(UNet2d, RefusesHostileConfigs) {
    expect_refused(R"({"layers_per_block": 1000000000})", "layers_per_block");
    expect_refused(R"({"layers_per_block": 1000000})", "too much");
    expect_refused(R"({"transformer_layers_per_block": 500, "layers_per_block": 500})", "too much");
    expect_refused(R"({"layers_per_block": [1, 2]})", "layers_per_block has 2 entries");
    expect_refused(R"({"block_out_channels": []})", "empty");
    expect_refused(R"({"block_out_channels": [320, 640]})", "down_block_types has 4 entries");
    expect_refused(R"({"norm_num_groups": 7})", "groups");
    expect_refused(R"({"attention_head_dim": 7})", "heads");
    expect_refused(R"({"attention_head_dim": [8, 8]})", "attention_head_dim has 2 entries");
    expect_refused(R"({"cross_attention_dim": [8, 8, 8, 9]})", "unequal");
    expect_refused(R"({"mid_block_scale_factor": 0})", "mid_block_scale_factor");
    expect_refused(R"({"block_out_channels": [1000000000, 1, 1, 1]})", "block_out_channels");
}

TEST(UNet2d, NamesTheFeatureItLacks) {
    expect_refused(R"({"class_embed_type": "timestep"})", "class_embed_type");
    expect_refused(R"({"addition_embed_type": "text_time"})", "addition_embed_type");
    expect_refused(R"({"encoder_hid_dim": 768})", "encoder_hid_dim");
    expect_refused(R"({"time_cond_proj_dim": 256})", "time_cond_proj_dim");
    expect_refused(R"({"dual_cross_attention": true})", "dual_cross_attention");
    expect_refused(R"({"center_input_sample": true})", "center_input_sample");
    expect_refused(R"({"num_attention_heads": 8})", "num_attention_heads");
    expect_refused(R"({"resnet_time_scale_shift": "scale_shift"})", "resnet_time_scale_shift");
    expect_refused(R"({"mid_block_type": "UNetMidBlock2D"})", "mid_block_type");
    expect_refused(R"({"down_block_types": ["KDownBlock2D", "DownBlock2D", "DownBlock2D", "DownBlock2D"]})",
                   "CrossAttnDownBlock2D and DownBlock2D");
}

}  // namespace
}  // namespace gass
