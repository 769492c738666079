#include "models/autoencoder_kl.h"

#include "support/expect_error.h"
#include "support/parity_case.h"

#include <gtest/gtest.h>

namespace gass {
namespace {

TEST(AutoencoderKl, MatchesDiffusers) {
    for (const test::ParityCase& parity : test::parity_cases("autoencoder", "autoencoder")) {
        const auto config = AutoencoderKlConfig::from_json(parity.config, parity.config_path);
        const auto network =
            nn::load_network<AutoencoderKl>(parity.weights, config, parity.placement, "AutoencoderKL");
        test::expect_parity(parity, [&](const test::Tensors& in) -> test::Tensors {
            const AutoencoderKl::Posterior posterior = network.encode(in.at("images"));
            return {{"mean", posterior.mean},
                    {"logvar", posterior.logvar},
                    {"latents", network.latents_from(posterior.mean)},
                    {"decoded", network.decode(in.at("codes"))},
                    {"from_latents", network.decode_latents(in.at("codes"))}};
        });
    }
}

void expect_refused(const char* config, const char* part) {
    test::expect_error(ErrorCode::model_invalid, part, [&] {
        AutoencoderKlConfig::from_json(parse_json(config, "config.json"), "config.json");
    });
}

TEST(AutoencoderKl, ReadsTheDefaultsOfDiffusers) {
    const auto config = AutoencoderKlConfig::from_json(
        parse_json(R"({"shift_factor": null, "block_out_channels": [32, 64, 64]})", "config.json"),
        "config.json");
    EXPECT_EQ(config.shift_factor, 0.0);
    EXPECT_EQ(config.scaling_factor, 0.18215);
    EXPECT_EQ(config.downscale(), 4);
    EXPECT_TRUE(config.use_quant_conv);
}

TEST(AutoencoderKl, RefusesHostileConfigs) {
    expect_refused(R"({"layers_per_block": 1000000000})", "layers_per_block");
    expect_refused(R"({"block_out_channels": []})", "empty");
    expect_refused(R"({"block_out_channels": [32,32,32,32,32,32,32,32,32,32,32,32,32]})", "13 blocks");
    expect_refused(R"({"block_out_channels": [64, 100]})", "groups");
    expect_refused(R"({"block_out_channels": [1000000000]})", "block_out_channels");
    expect_refused(R"({"down_block_types": ["DownEncoderBlock2D", "DownEncoderBlock2D"]})",
                   "down_block_types");
    expect_refused(R"({"up_block_types": ["AttnUpDecoderBlock2D"]})", "up_block_types");
    expect_refused(R"({"act_fn": "sine"})", "sine");
    expect_refused(R"({"scaling_factor": 0})", "scaling_factor");
    expect_refused(R"({"latents_mean": [0.5]})", "latents_mean");
}

}  // namespace
}  // namespace gass
