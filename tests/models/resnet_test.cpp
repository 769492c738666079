#include "models/resnet.h"

#include "support/expect_error.h"
#include "support/parity_case.h"

#include <gtest/gtest.h>

namespace gass {
namespace {

using test::Tensors;

TEST(ResNet, EqualsTheReference) {
    for (const test::ParityCase& parity : test::parity_cases("resnet", "resnet")) {
        const auto config = ResNetConfig::from_json(parity.config, parity.config_path);
        const auto network = nn::load_network<ResNet>(parity.weights, config, parity.placement, "ResNet");
        test::expect_parity(parity, [&](const Tensors& in) {
            const ResNet::Output output = network(in.at("pixels"));
            Tensors out{{"embeddings", output.embeddings}};
            if (output.logits.defined()) out["logits"] = output.logits;
            return out;
        });
    }
}

Json good_config() {
    return parse_json(
        R"({"block": "basic", "layers": [1, 1, 1, 1], "width": 4, "embedding_dim": 8, "gem_p": 3.0,
                          "image_size": 32, "image_mean": [0, 0, 0], "image_std": [1, 1, 1]})",
        "good");
}

TEST(ResNetConfig, ReadsWhatTheFileSays) {
    const ResNetConfig config = ResNetConfig::from_json(good_config(), "good");
    EXPECT_EQ(config.feature_dim(), 32);
    EXPECT_TRUE(config.classes.empty());
}

TEST(ResNetConfig, RefusesHostileValues) {
    const std::vector<std::pair<const char*, const char*>> hostile{
        {"block", "\"wide\""},
        {"layers", "[1, 1, 1]"},
        {"layers", "[1000000000, 1, 1, 1]"},
        {"layers", "[500, 500, 1, 1]"},
        {"layers", "[1, -1, 1, 1]"},
        {"width", "1000000000"},
        {"width", "0"},
        {"embedding_dim", "18446744073709551615"},
        {"gem_p", "0"},
        {"gem_p", "\"3\""},
        {"image_size", "-1"},
        {"image_mean", "[0, 0]"},
        {"image_mean", "[0, 0, null]"},
        {"image_std", "[1, 0, 1]"},
        {"classes", "[1]"},
    };
    for (const auto& [key, value] : hostile) {
        Json config = good_config();
        config[key] = parse_json(value, "value");
        test::expect_error(ErrorCode::model_invalid, key,
                           [&] { ResNetConfig::from_json(config, "hostile"); });
    }
}

}  // namespace
}  // namespace gass
