#include "models/mmdit.h"

#include "support/expect_error.h"
#include "support/parity_case.h"

#include <ATen/ATen.h>

namespace gass {
namespace {

Json small_config() {
    return Json{{"sample_size", 16},
                {"patch_size", 2},
                {"in_channels", 4},
                {"num_layers", 2},
                {"attention_head_dim", 8},
                {"num_attention_heads", 2},
                {"joint_attention_dim", 12},
                {"caption_projection_dim", 16},
                {"pooled_projection_dim", 10},
                {"pos_embed_max_size", 6}};
}

void expect_refused(const char* key, const Json& value, const std::string& part) {
    Json json = small_config();
    json[key] = value;
    test::expect_error(ErrorCode::model_invalid, part, [&] { MmditConfig::from_json(json, "config.json"); });
}

/// A forward pass on latents of that size.
at::Tensor run(const Mmdit& network, std::int64_t height, std::int64_t width) {
    return network(at::ones({1, 4, height, width}), at::full({1}, 500.0), at::ones({1, 3, 12}),
                   at::ones({1, 10}));
}

TEST(Mmdit, Parity) {
    for (const test::ParityCase& parity : test::parity_cases("mmdit", "mmdit")) {
        SCOPED_TRACE(parity.name);
        const auto network =
            nn::load_network<Mmdit>(parity.weights, MmditConfig::from_json(parity.config, parity.config_path),
                                    parity.placement, "SD3Transformer2DModel");
        test::expect_parity(parity, [&](const test::Tensors& in) {
            return test::Tensors{
                {"sample", network(in.at("latents"), in.at("timestep"), in.at("context"), in.at("pooled"))}};
        });
    }
}

TEST(Mmdit, HostileConfigsAreRefused) {
    expect_refused("num_layers", 1'000'000'000, "num_layers");
    expect_refused("num_layers", 0, "num_layers");
    expect_refused("dual_attention_layers", Json{0, 2}, "names layer 2, but there are 2");
    expect_refused("dual_attention_layers", Json{-1}, "dual_attention_layers");
    expect_refused("caption_projection_dim", 32, "2 heads of size 8 are 16 wide");
    expect_refused("attention_head_dim", 1'000'000, "attention_head_dim");
    expect_refused("patch_size", 0, "patch_size");
    expect_refused("patch_size", 32, "smaller than");
    expect_refused("pos_embed_max_size", nullptr, "pos_embed_max_size");
    expect_refused("pos_embed_max_size", 1'000'000, "pos_embed_max_size");
    expect_refused("qk_norm", "layer_norm", "qk_norm");
    Json narrow = small_config();
    narrow["attention_head_dim"] = 3;
    narrow["caption_projection_dim"] = 6;
    test::expect_error(ErrorCode::model_invalid, "multiple of 4",
                       [&] { MmditConfig::from_json(narrow, "config.json"); });
}

TEST(Mmdit, ConfigHasDiffusersDefaults) {
    const auto config =
        MmditConfig::from_json(Json{{"pos_embed_max_size", 192}, {"caption_projection_dim", 1152}}, "c");
    EXPECT_EQ(config.num_layers, 18);
    EXPECT_EQ(config.width(), 1152);
    EXPECT_EQ(config.out_channels, 16);
    EXPECT_FALSE(config.qk_norm);
    EXPECT_EQ(config.dual_attention, std::vector<bool>(18, false));
}

TEST(Mmdit, SizesThatDoNotFitAreRefused) {
    nn::RandomParameters source({});
    const Mmdit network(nn::Parameters(source), MmditConfig::from_json(small_config(), "config.json"));
    EXPECT_EQ(run(network, 12, 4).sizes(), (std::vector<std::int64_t>{1, 4, 12, 4}));
    test::expect_error(ErrorCode::usage, "exceed the model's largest, 12×12", [&] { run(network, 14, 4); });
    test::expect_error(ErrorCode::usage, "exceed the model's largest, 12×12", [&] { run(network, 4, 14); });
    test::expect_error(ErrorCode::usage, "patches of 2×2", [&] { run(network, 4, 5); });
    test::expect_error(ErrorCode::usage, "patches of 2×2", [&] { run(network, 0, 4); });
}

}  // namespace
}  // namespace gass
