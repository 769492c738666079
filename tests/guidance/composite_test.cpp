#include "guidance/composite.h"

#include "fake_vision.h"
#include "guidance/method_grid.h"
#include "guidance/registry.h"
#include "guidance/text/method_list.h"
#include "support/expect_error.h"

#include <rapidcheck/gtest.h>

namespace gass {
namespace {

const Dial kDial(Family::flow, /*is_guided=*/true);
const std::vector<std::uint64_t> kSeeds{1, 2, 3, 4};

MethodSetup setup() {
    MethodSetup result;
    result.images = 4;
    return result;
}

GroupStep at_noise(double sigma, const at::Tensor& x) {
    return {.index = 1,
            .count = 28,
            .step = {.timestep = 1000 * sigma, .from = {1 - sigma, sigma}, .to = {1, 0}, .input_scale = 1},
            .time = sigma,
            .seeds = &kSeeds,
            .x = &x};
}

TEST(MethodList, GivesParametersToTheMethodBefore) {
    const std::vector<std::string> expected{"none", "gass:strength=0.3,candidates=4", "cads+gass:strength=1",
                                            "ig"};
    EXPECT_EQ(split_method_list("none,gass:strength=0.3,candidates=4,cads+gass:strength=1,ig"), expected);
    EXPECT_EQ(split_method_list("gass,strength=0.3"), std::vector<std::string>{"gass:strength=0.3"});
    EXPECT_EQ(split_method_list("cads:scale=0.2+gass,strength=0.3,drop=0"),
              std::vector<std::string>{"cads:scale=0.2+gass:strength=0.3,drop=0"});
    EXPECT_EQ(split_method_list("pg:coefficient=1e+3,gate=2"),
              std::vector<std::string>{"pg:coefficient=1e+3,gate=2"});
    for (const char* wrong : {"", ",none", "none,", "none,,gass", "strength=1"})
        test::expect_error(ErrorCode::usage, "[`methods`]", [&] { split_method_list(wrong); });
}

TEST(MethodGrid, RepeatsTheOneThatHasTheParameter) {
    const std::vector<std::string> expected{"none", "cads+gass:strength=0.2", "cads+gass:strength=1"};
    EXPECT_EQ(with_grid({"none", "cads+gass"}, "strength=0.2,1"), expected);
    EXPECT_EQ(with_grid({"ig:low=0"}, "low=0.1"), std::vector<std::string>{"ig:low=0.1"});
    for (const char* wrong : {"", "strength", "=1", "strength=", "low=1", "candidates=2"}) {
        test::expect_error(ErrorCode::usage, "[`grid`]", [&] {
            with_grid({"none", "gass", "gass-paper"}, wrong);  // both of these have candidates
        });
    }
    test::expect_error(ErrorCode::usage, "[`grid`]", [] { with_grid({"cads+noise"}, "scale=1,2"); });
}

TEST(Combination, IsReadAndWrittenInOrder) {
    EXPECT_EQ(Methods("cads:scale=0.2+gass").name(), "cads+gass");
    EXPECT_EQ(Methods("pg:coefficient=1e+3+noise").name(), "pg+noise");  // a plus of a number is none of ours
    EXPECT_EQ(Methods("ig").name(), "interval");
    EXPECT_TRUE(Methods("cads+gass").have_dial());
    EXPECT_FALSE(Methods("cads+gass-paper").have_dial());
    const std::string all = Methods("ig:high=0.7+gass:strength=0.2").completed(kDial, true).text();
    EXPECT_TRUE(all.starts_with("interval:low=0.2,high=0.7,level=time+gass:strength=0.2,"));
    EXPECT_EQ(Methods(all).completed(kDial, true).text(), all);
    EXPECT_EQ(Methods("cads+gass:candidates=4").candidates(8), 32);
    EXPECT_EQ(Methods("gass:strength=0.3,k=4").candidates(8), 32);
    test::expect_error(ErrorCode::usage, "twice", [] { Methods("gass:k=4,candidates=4").candidates(8); });
    EXPECT_TRUE(Methods("noise+dpp").look());
    EXPECT_FALSE(Methods("noise+pg").look());
}

TEST(Combination, IsRefusedWhereItMakesNoSense) {
    const auto refused = [](const char* spec, const std::string& part) {
        test::expect_error(ErrorCode::usage, part, [&] { Methods(spec).completed(kDial, true).text(); });
    };
    refused("none+gass", "none cannot be combined");
    refused("gass+gass", "\"gass\" is given twice");
    refused("ig+interval", "\"interval\" is given twice");
    refused("interval+cfg", "cfg sets the weight");
    refused("gass:push=on+spell", "gass:injection=rederive");
    refused("noise+gass:candidates=4", "antithetic noise would replace");
    EXPECT_NO_THROW(Methods("noise+gass:candidates=1").completed(kDial, true).text());
    EXPECT_NO_THROW(Methods("noise:kind=coarse+gass").completed(kDial, true).text());
    refused("cads+", "no method \"\"");
    refused("+cads", "no method \"\"");
    EXPECT_NO_THROW(Methods("gass:push=on,injection=rederive+spell").completed(kDial, true).text());
    EXPECT_NO_THROW(
        Methods("gass+spell").completed(kDial, true).text());  // without a push gass does not steer
}

TEST(Combination, PassesWeightsOn) {
    const at::Tensor x = at::zeros({4, 4, 8, 8});
    const auto weight = [&](const char* spec, double time) {
        return Methods(spec).make(setup())->guidance(4.0, at_noise(time, x));
    };
    EXPECT_EQ(weight("cfg:scale=3+interval:low=0.2,high=0.8", 0.5), 3.0);
    EXPECT_EQ(weight("cfg:scale=3+interval:low=0.2,high=0.8", 0.9), 1.0);
    EXPECT_EQ(weight("interval:high=0.8+gass:interval=0.6,guidance=0.5", 0.5), 2.5);
    EXPECT_EQ(weight("interval:high=0.8+gass:interval=0.6", 0.7), 1.0);
    EXPECT_EQ(Methods("cfg:scale=3+interval").cfg_scale(), 3.0);
    EXPECT_EQ(Methods("cfg+interval").cfg_scale(), std::nullopt);
    EXPECT_EQ(Methods("interval").cfg_scale(), std::nullopt);
}

RC_GTEST_PROP(Combination, StepsOneAfterTheOther, ()) {
    const auto seed = *rc::gen::inRange(0, 1000);
    const at::Tensor clean = test::some_latents(4, static_cast<std::uint64_t>(seed));
    const at::Tensor x = test::some_latents(4, static_cast<std::uint64_t>(seed) + 5000);
    const GroupStep at = at_noise(0.9, x);
    const auto both = Methods("pg+spell:radius=40").make(setup());
    const at::Tensor by_one = Methods("pg").make(setup())->steer(clean, at);
    const at::Tensor by_two = Methods("spell:radius=40").make(setup())->steer(by_one, at);
    RC_ASSERT(at::equal(both->steer(clean, at), by_two));
    RC_ASSERT(both->report().value().size() == 2U);
    RC_ASSERT(both->injection() == Injection::rederive);
}

TEST(Combination, DoesNotSteerCandidates) {
    const at::Tensor clean = test::some_latents(6, 1);  // of which four will be kept
    const at::Tensor x = test::some_latents(6, 2);
    const auto method = Methods("spell:radius=40+gass:candidates=4,scout_steps=0").make(setup());
    EXPECT_TRUE(method->steer(clean, at_noise(0.9, x)).is_same(clean));
    EXPECT_FALSE(method->steer(clean.narrow(0, 0, 4), at_noise(0.9, x)).is_same(clean));
}

TEST(Combination, TellsThePlacesOfWhoeverHasAxes) {
    MethodSetup with_axis = setup();
    with_axis.axes.push_back(
        {.from = "a",
         .to = "b",
         .direction = {},
         .half_difference = {.sequence = at::ones({1, 3, 2}), .pooled = at::ones({1, 4})}});
    for (const char* spec : {"gass", "gass+cads", "cads+gass"}) {
        const auto method = Methods(spec).make(with_axis);
        method->start(test::some_latents(4, 1), kSeeds);
        ASSERT_EQ(method->places().size(), 1U) << spec;
        EXPECT_EQ(method->places().front().numel(), 4) << spec;
        EXPECT_TRUE(Methods(spec).make(setup())->places().empty()) << spec;
    }
    EXPECT_TRUE(Methods("pg+spell").make(setup())->places().empty());
}

TEST(Combination, OfMethodsThatAreOffIsPlain) {
    const at::Tensor clean = test::some_latents(4, 1);
    const at::Tensor x = test::some_latents(4, 2);
    const auto method = Methods("pg:coefficient=0+spell:radius=0+noise:kind=coarse,scale=1").make(setup());
    EXPECT_TRUE(method->steer(clean, at_noise(0.9, x)).is_same(clean));
    EXPECT_TRUE(method->start(x, kSeeds).is_same(x));
    EXPECT_EQ(method->report(), std::vector<MethodStep>{});
}

}  // namespace
}  // namespace gass
