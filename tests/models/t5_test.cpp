#include "models/t5.h"

#include "support/expect_error.h"
#include "support/parity_case.h"

#include <gtest/gtest.h>

namespace gass {
namespace {

using test::Tensors;

void expect_t5_parity(const test::ParityCase& parity) {
    const auto config = T5Config::from_json(parity.config, parity.config_path);
    const auto network = nn::load_network<T5Encoder>(parity.weights, config, parity.placement, "T5Encoder");
    test::expect_parity(parity, [&](const Tensors& in) {
        const auto mask = in.contains("mask") ? std::optional(in.at("mask")) : std::nullopt;
        return Tensors{{"embedded", network.embed(in.at("ids"))},
                       {"last", network.encode(in.at("embeddings"), mask)}};
    });
}

TEST(T5Encoder, EqualsTheReference) {
    for (const test::ParityCase& parity : test::parity_cases("t5", "t5")) expect_t5_parity(parity);
}

TEST(T5Encoder, SurvivesHalfPrecision) {
    for (test::ParityCase& parity : test::parity_cases("t5", "t5-half")) {
        parity.placement.dtype = at::kHalf;
        expect_t5_parity(parity);
    }
}

TEST(T5Config, RefusesWrongValues) {
    const std::vector<std::pair<const char*, const char*>> wrong{
        {"model_type", "\"umt5\""},
        {"num_layers", "1000000000"},
        {"num_heads", "0"},
        {"d_kv", "1000000"},
        {"relative_attention_num_buckets", "3"},
        {"relative_attention_max_distance", "8"},
        {"feed_forward_proj", "\"gated-mish\""},
        {"is_gated_act", "1"},
        {"is_decoder", "true"},
    };
    for (const auto& [key, value] : wrong) {
        SCOPED_TRACE(std::string(key) + " = " + value);
        Json config = Json::object();
        config[key] = parse_json(value, "value");
        test::expect_error(ErrorCode::model_invalid, "[wrong]",
                           [&] { T5Config::from_json(config, "wrong"); });
    }
}

}  // namespace
}  // namespace gass
