#include "models/image_reward.h"

#include "support/expect_error.h"
#include "support/parity_case.h"

#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

namespace gass {
namespace {

using test::Tensors;

TEST(ImageReward, EqualsTheReference) {
    for (const test::ParityCase& parity : test::parity_cases("image_reward", "image_reward")) {
        const auto config = ImageRewardConfig::from_json(parity.config, parity.config_path);
        const auto network =
            nn::load_network<ImageReward>(parity.weights, config, parity.placement, "ImageReward");
        test::expect_parity(parity, [&](const Tensors& in) {
            return Tensors{{"scores", network(in.at("pixels"), in.at("ids"), in.at("mask"))}};
        });
    }
}

Json good_config() {
    return parse_json(R"({
        "vision_config": {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1,
                          "num_attention_heads": 2, "image_size": 16, "patch_size": 8},
        "text_config": {"vocab_size": 9, "hidden_size": 4, "intermediate_size": 8, "num_hidden_layers": 1,
                        "num_attention_heads": 2, "max_position_embeddings": 5},
        "image_size": 16, "image_mean": [0, 0, 0], "image_std": [1, 1, 1],
        "head_sizes": [2, 3, 2, 3], "text_length": 5})",
                      "good");
}

TEST(ImageReward, RefusesOtherSizesThanItsOwn) {
    nn::RandomParameters random({});
    const ImageReward network(nn::Parameters(random), ImageRewardConfig::from_json(good_config(), "good"));
    const auto score = [&](std::int64_t side, std::int64_t tokens) {
        return network(at::zeros({1, 3, side, side}), at::zeros({1, tokens}, at::kLong),
                       at::ones({1, tokens}));
    };
    EXPECT_EQ(score(16, 5).sizes(), (std::vector<std::int64_t>{1}));
    test::expect_error(ErrorCode::usage, "16", [&] { score(24, 5); });
    test::expect_error(ErrorCode::usage, "5", [&] { score(16, 6); });
}

TEST(ImageRewardConfig, RefusesHostileValues) {
    const std::vector<std::pair<const char*, const char*>> hostile{
        {"/vision_config", "3"},
        {"/vision_config/num_hidden_layers", "1000000000"},
        {"/vision_config/num_attention_heads", "3"},
        {"/vision_config/hidden_size", "1000000000"},
        {"/vision_config/patch_size", "5"},
        {"/vision_config/image_size", "1000000000"},
        {"/vision_config/image_size", "32"},
        {"/vision_config/hidden_act", "\"relu\""},
        {"/text_config/num_hidden_layers", "0"},
        {"/text_config/num_attention_heads", "3"},
        {"/text_config/max_position_embeddings", "4"},
        {"/text_config/vocab_size", "\"many\""},
        {"/head_sizes", "[2, 3, 2]"},
        {"/head_sizes", "[2, 3, 2, 0]"},
        {"/text_length", "1"},
        {"/score_std", "0"},
    };
    for (const auto& [where, value] : hostile) {
        Json config = good_config();
        config[Json::json_pointer(where)] = parse_json(value, "value");
        test::expect_error(ErrorCode::model_invalid, "hostile",
                           [&] { ImageRewardConfig::from_json(config, "hostile"); });
    }
    Json config = good_config();
    config.erase("text_config");
    test::expect_error(ErrorCode::model_invalid, "text_config",
                       [&] { ImageRewardConfig::from_json(config, "hostile"); });
}

}  // namespace
}  // namespace gass
