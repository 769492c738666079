#include "models/dinov2.h"

#include "support/expect_error.h"
#include "support/parity_case.h"

#include <gtest/gtest.h>

namespace gass {
namespace {

using test::Tensors;

TEST(Dinov2, EqualsTheReference) {
    for (const test::ParityCase& parity : test::parity_cases("dinov2", "dinov2")) {
        const auto config = Dinov2Config::from_json(parity.config, parity.config_path);
        const auto network = nn::load_network<Dinov2>(parity.weights, config, parity.placement, "Dinov2");
        test::expect_parity(parity, [&](const Tensors& in) {
            const Dinov2Output output = network(in.at("pixels"));
            return Tensors{{"last", output.last_hidden_state}, {"pooled", output.pooled}};
        });
    }
}

TEST(Dinov2Config, RefusesWrongValues) {
    const std::vector<std::pair<const char*, const char*>> wrong{
        {"num_attention_heads", "7"}, {"num_hidden_layers", "1000000000"},
        {"mlp_ratio", "0"},           {"mlp_ratio", "1e300"},
        {"patch_size", "225"},        {"image_size", "[224, 112]"},
        {"qkv_bias", "\"yes\""},      {"model_type", "\"dinov2_with_registers\""},
    };
    for (const auto& [key, value] : wrong) {
        SCOPED_TRACE(std::string(key) + " = " + value);
        Json config = Json::object();
        config[key] = parse_json(value, "value");
        test::expect_error(ErrorCode::model_invalid, key, [&] { Dinov2Config::from_json(config, "wrong"); });
    }
}

}  // namespace
}  // namespace gass
