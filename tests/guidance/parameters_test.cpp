#include "guidance/text/parameters.h"

#include "guidance/gass_paper.h"
#include "guidance/registry.h"
#include "record/method_description_json.h"
#include "support/expect_error.h"

#include <rapidcheck/gtest.h>

namespace gass {
namespace {

const Dial kFlowDial(Family::flow, /*is_guided=*/true);

TEST(MethodSpec, IsNameAndParameters) {
    EXPECT_EQ(parse_methods("gass").front().name, "gass");
    const MethodSpec spec = parse_methods("gass:a=1,b=on,c=").front();
    EXPECT_EQ(spec.name, "gass");
    ASSERT_EQ(spec.parameters.size(), 3U);
    EXPECT_EQ(spec.parameters[2].second, "");
    for (const char* wrong : {"gass:", "gass:a", "gass:=1", "gass:a=1,", "gass:a=1,a=2", "cads+gass:a"})
        test::expect_error(ErrorCode::usage, "[`method`]", [&] { parse_methods(wrong); });
}

TEST(MethodSpec, EveryValueIsChecked) {
    const auto refused = [](const char* spec, const std::string& part) {
        test::expect_error(ErrorCode::usage, part, [&] { Methods(spec).completed(kFlowDial, true).text(); });
    };
    refused("gas",
            "no method \"gas\" (did you mean \"gass\"?); there are none, gass, gass-paper, cfg, interval, "
            "cads, weaken, pg, pg-features, "
            "spell, dpp, noise");
    refused("", "no method \"\"");
    refused("none:x=1", "none has no parameter \"x\"");
    refused("gass:candidate=4", "\"candidate\" (did you mean \"candidates\"?); it has strength, interval");
    refused("gass:candidates=0", "gass:candidates: expected a whole number, 1 to 64");
    refused("gass:candidates=2.5", "whole number");
    refused("gass:interval=nan", "expected 0 to 1");
    refused("gass:interval=-0.1", "expected 0 to 1");
    refused("gass:push=maybe", "on or off");
    refused("gass-paper:basis=pca", "gass or ip or rd");
    refused("gass-paper:lr=", "expected 0 to 1000000");
}

TEST(MethodSpec, CompletedItMeansTheSame) {
    EXPECT_EQ(Methods("none").completed(kFlowDial, true).text(), "none");
    const std::string all = Methods("gass-paper:r_dep=0.05,basis=rd").completed(kFlowDial, true).text();
    EXPECT_NE(all.find("r_dep=0.05"), std::string::npos);
    EXPECT_NE(all.find("iterations=60"), std::string::npos);
    EXPECT_EQ(Methods(all).completed(kFlowDial, true).text(), all);
    EXPECT_EQ(Methods(all).name(), "gass-paper");
}

RC_GTEST_PROP(MethodSpec, AnyNumberSurvivesCompletion, ()) {
    GassPaperParams params;
    params.r_dep = *rc::gen::inRange(0, 1 << 30) / static_cast<double>(1 << 30);
    params.renormalise = *rc::gen::arbitrary<bool>();
    params.steps = *rc::gen::inRange(0, 1001);
    ParameterWriter writer;
    params.visit(writer);
    const MethodSpec spec{"gass-paper", writer.values};
    GassPaperParams again;
    ParameterSetter setter(spec);
    again.visit(setter);
    setter.finish();
    RC_ASSERT(again.r_dep == params.r_dep);
    RC_ASSERT(again.renormalise == params.renormalise);
    RC_ASSERT(again.steps == params.steps);
    RC_ASSERT(Methods(to_string(MethodSpecs{spec})).completed(kFlowDial, true).text() ==
              to_string(MethodSpecs{spec}));
}

TEST(Methods, DescribeTheirKnobs) {
    ASSERT_FALSE(methods().empty());
    EXPECT_TRUE(methods().front().parameters.empty());
    const ParameterDescription basis = method("gass-paper").parameters.at(3);
    EXPECT_EQ(basis.type, ParameterDescription::Type::choice);
    EXPECT_EQ(basis.choices, (std::vector<std::string>{"gass", "ip", "rd"}));
    EXPECT_EQ(std::get<std::string>(basis.initial), "gass");
    EXPECT_EQ(to_json(basis)["default"], "gass");
    for (const MethodDescription& method : methods()) {
        EXPECT_FALSE(method.verdict.empty());
        EXPECT_FALSE(method.paper.empty());
        for (const ParameterDescription& parameter : method.parameters) EXPECT_FALSE(parameter.help.empty());
    }
    test::expect_error(ErrorCode::usage, "[`method`] no method", [] { method("gas"); });
}

TEST(Methods, SayHowManySeedsAGroupStartsWith) {
    EXPECT_EQ(Methods("none").candidates(5), 5);
    EXPECT_EQ(Methods("gass-paper:candidates=20").candidates(5), 5);  // its candidates are directions
    EXPECT_EQ(Methods("gass:candidates=3").candidates(5), 15);
    EXPECT_EQ(Methods("gass:candidates=3").candidates(1), 1);  // one image has nobody to differ from
    EXPECT_FALSE(Methods("none").look());
    EXPECT_FALSE(Methods("gass:candidates=1,start=1,interval=0.8").look());
    EXPECT_TRUE(Methods("gass:candidates=2").look());
    EXPECT_TRUE(Methods("gass:push=on").look());
    EXPECT_TRUE(Methods("gass-paper:steps=1").look());
}

}  // namespace
}  // namespace gass
