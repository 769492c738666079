#include "models/lpips.h"

#include "support/expect_error.h"
#include "support/parity_case.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace gass {
namespace {

using test::Tensors;

TEST(Lpips, SquaredDistancesOfItsRowsEqualTheReference) {
    for (const test::ParityCase& parity : test::parity_cases("lpips", "lpips")) {
        const auto config = LpipsConfig::from_json(parity.config, parity.config_path);
        const auto network = nn::load_network<Lpips>(parity.weights, config, parity.placement, "LPIPS");
        EXPECT_NO_THROW(network.check_weights());
        test::expect_parity(parity, [&](const Tensors& in) {
            const at::Tensor rows = network(in.at("pixels"));
            return Tensors{{"distances", (rows.unsqueeze(0) - rows.unsqueeze(1)).square().sum(-1)}};
        });
    }
}

TEST(Lpips, KnowsHowManyNumbersAPictureHas) {
    nn::RandomParameters random({});
    const Lpips network(nn::Parameters(random), {});
    for (const std::int64_t side : {std::int64_t{31}, std::int64_t{64}, std::int64_t{97}})
        EXPECT_EQ(network(at::zeros({1, 3, side, side})).size(1), Lpips::width(side)) << side;
    EXPECT_EQ(Lpips::width(256), 640'128);
}

TEST(Lpips, RefusesChannelsThatCountLessThanNothing) {
    nn::RandomParameters random({});  // of either sign
    const Lpips network(nn::Parameters(random), {});
    test::expect_error(ErrorCode::model_invalid, "lin0.model.1.weight", [&] { network.check_weights(); });
}

TEST(LpipsConfig, IsOfAlexNetAndOfASize) {
    const auto read = [](const char* text) {
        return LpipsConfig::from_json(parse_json(text, "json"), "json");
    };
    EXPECT_EQ(read(R"({"net": "alex"})").image_size, 256);
    EXPECT_EQ(read(R"({"net": "alex", "image_size": 64})").image_size, 64);
    for (const char* hostile : {R"({})", R"({"net": "vgg"})", R"({"net": "alex", "image_size": 30})",
                                R"({"net": "alex", "image_size": 100000})"})
        test::expect_error(ErrorCode::model_invalid, "json", [&] { read(hostile); });
}

}  // namespace
}  // namespace gass
