#include "models/inception.h"

#include "support/expect_error.h"
#include "support/parity_case.h"

#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

namespace gass {
namespace {

using test::Tensors;

TEST(Inception, EqualsTheReference) {
    for (const test::ParityCase& parity : test::parity_cases("inception", "inception")) {
        const auto config = InceptionConfig::from_json(parity.config, parity.config_path);
        const auto network =
            nn::load_network<Inception>(parity.weights, config, parity.placement, "Inception");
        test::expect_parity(parity, [&](const Tensors& in) {
            const Inception::Output output = network(in.at("pixels"));
            return Tensors{{"features", output.features},
                           {"logits", output.logits},
                           {"unbiased", network.unbiased_logits(output.features)}};
        });
    }
}

TEST(Inception, RefusesPicturesThatVanishOnTheWay) {
    nn::RandomParameters random({});
    const Inception network(nn::Parameters(random), {.num_classes = 2});
    test::expect_error(ErrorCode::usage, "75", [&] { network(at::zeros({1, 3, 74, 80})); });
}

TEST(InceptionConfig, KnowsBothForms) {
    const auto read = [](const char* text) {
        return InceptionConfig::from_json(parse_json(text, "json"), "json");
    };
    EXPECT_EQ(read(R"({"form": "fid"})").num_classes, 1008);
    EXPECT_EQ(read(R"({"form": "torchvision"})").num_classes, 1000);
    for (const char* hostile :
         {R"({})", R"({"form": "tf"})", R"({"form": "fid", "num_classes": 1000000000})",
          R"({"form": "fid", "num_classes": -1})", R"({"form": "fid", "transform_input": 1})",
          R"({"form": "fid", "image_size": 64})"}) {
        test::expect_error(ErrorCode::model_invalid, "json", [&] { read(hostile); });
    }
}

}  // namespace
}  // namespace gass
