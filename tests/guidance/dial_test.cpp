#include "guidance/dial.h"

#include "guidance/registry.h"
#include "support/expect_error.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace gass {
namespace {

std::string value_of(const MethodSpec& spec, std::string_view key) {
    for (const auto& [name, value] : spec.parameters) {
        if (name == key) return value;
    }
    return "";
}

TEST(Dial, AtZeroNothingIsDone) {
    for (const Family family : {Family::flow, Family::diffusion}) {
        const MethodSpec off = Dial(family).apply(parse_methods("gass:strength=0").front(), true);
        EXPECT_EQ(value_of(off, "interval"), "1");
        EXPECT_EQ(value_of(off, "guidance"), "1");
        EXPECT_EQ(value_of(off, "start"), "0");
        EXPECT_EQ(value_of(off, "mean_scale"), "1");
        EXPECT_EQ(value_of(off, "candidates"), "1");
        EXPECT_FALSE(Methods(to_string(MethodSpecs{off})).look());
    }
}

TEST(Dial, WhatIsSaidStays) {
    const MethodSpec spec =
        Dial(Family::flow).apply(parse_methods("gass:interval=0.4,candidates=2").front(), true);
    EXPECT_EQ(value_of(spec, "interval"), "0.4");
    EXPECT_EQ(value_of(spec, "candidates"), "2");
    EXPECT_EQ(value_of(spec, "start"), "1");  // the default strength's
}

TEST(Dial, WithoutAGuideNothingIsChosen) {
    const MethodSpec spec = Dial(Family::diffusion).apply(parse_methods("gass").front(), false);
    EXPECT_EQ(value_of(spec, "candidates"), "1");
    EXPECT_FALSE(Methods(to_string(MethodSpecs{spec})).look());
}

TEST(Dial, MeasuresEffortsAsTheyAre) {
    EXPECT_DOUBLE_EQ(Dial::of_efforts(Family::flow).effort(0.6), 0.6);
    EXPECT_LT(Dial(Family::flow).effort(1.0), 1.0);  // nobody measured how far this model can go
}

RC_GTEST_PROP(Dial, EffortRisesWithStrength, ()) {
    const Dial dial(Family::flow, {{0.0, 0.0}, {0.25, 0.1}, {0.5, 0.4}, {1.0, 0.9}});
    const double a = *rc::gen::inRange(0, 1000) / 1000.0;
    const double b = *rc::gen::inRange(0, 1000) / 1000.0;
    RC_PRE(a < b);
    RC_ASSERT(dial.effort(a) < dial.effort(b));
    RC_ASSERT(dial.effort(0.0) == 0.0);
    RC_ASSERT(std::abs(dial.effort(0.75) - 0.65) < 1e-12);
}

RC_GTEST_PROP(Dial, TurnsARecordedMethodAnew, ()) {
    const Dial dial(*rc::gen::element(Family::flow, Family::diffusion));
    const bool can_look = *rc::gen::arbitrary<bool>();
    const double then = *rc::gen::inRange(0, 101) / 100.0;
    const double now = *rc::gen::inRange(0, 101) / 100.0;
    const auto recorded = [&](double strength) {
        Methods methods("cads:scale=0.2+gass:dep=1,drop=0.3");
        methods.set_dial("strength", strength);
        return methods.completed(dial, can_look).text();
    };
    Methods again(without_dialled(recorded(then)));
    RC_ASSERT(again.completed(dial, can_look).text() == recorded(then));
    again.set_dial("strength", now);
    RC_ASSERT(again.completed(dial, can_look).text() == recorded(now));
}

TEST(Dial, LeavesMethodsWithoutAStrengthAlone) {
    for (const char* text :
         {"none", "cads:scale=0.2", "interval:low=0.1,high=0.7+pg:coefficient=2", "gass-paper:candidates=4"})
        EXPECT_EQ(without_dialled(text), text);
    EXPECT_EQ(without_dialled(
                  "gass:strength=0.8,interval=0.7,guidance=2,start=1,mean_scale=1.2,candidates=4,push=on"),
              "gass:strength=0.8,push=on");
}

TEST(Dial, RefusesWhatIsNone) {
    const auto refused = [](const char* text) {
        test::expect_error(ErrorCode::model_invalid, "points",
                           [&] { read_dial_points(Json::parse(text), "gass.json"); });
    };
    refused(R"({"points": []})");
    refused(R"({"points": 3})");
    refused(R"({"points": [[0, 0]]})");
    refused(R"({"points": [[0, 0], [1, "x"]]})");
    refused(R"({"points": [[0, 0], [0.5, 0.5]]})");
    refused(R"({"points": [[0, 0.1], [1, 0.5]]})");
    refused(R"({"points": [[0, 0], [0.5, 0.6], [1, 0.5]]})");
    refused(R"({"points": [[0, 0], [1, 7]]})");
    test::expect_error(ErrorCode::usage, "[`strength`]",
                       [] { Dial(Family::flow).apply(parse_methods("gass:strength=1.5").front(), true); });
}

}  // namespace
}  // namespace gass
