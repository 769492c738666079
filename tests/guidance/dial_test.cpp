#include "guidance/dial.h"

#include "guidance/registry.h"
#include "support/expect_error.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace gass {
namespace {

const Dial kFlow(Family::flow, /*is_guided=*/true);
const Dial kDiffusion(Family::diffusion, /*is_guided=*/true);
const Dial kDistilled(Family::flow, /*is_guided=*/false);

std::string value_of(const MethodSpec& spec, std::string_view key) {
    for (const auto& [name, value] : spec.parameters) {
        if (name == key) return value;
    }
    return "";
}

TEST(Dial, AtZeroNothingIsDone) {
    for (const Dial& dial : {kFlow, kDiffusion, kDistilled}) {
        const MethodSpec off = dial.apply(parse_methods("gass:strength=0").front(), true);
        EXPECT_EQ(value_of(off, "interval"), "1");
        EXPECT_EQ(value_of(off, "guidance"), "1");
        EXPECT_EQ(value_of(off, "start"), "0");
        EXPECT_EQ(value_of(off, "mean_scale"), "1");
        EXPECT_EQ(value_of(off, "candidates"), "1");
        EXPECT_FALSE(Methods(to_string(MethodSpecs{off})).look());
    }
}

TEST(Dial, WhatIsSaidStays) {
    const MethodSpec spec = kFlow.apply(parse_methods("gass:interval=0.4,candidates=2").front(), true);
    EXPECT_EQ(value_of(spec, "interval"), "0.4");
    EXPECT_EQ(value_of(spec, "candidates"), "2");
    EXPECT_EQ(value_of(spec, "start"), "1");          // the default strength's
    EXPECT_EQ(value_of(spec, "select_time"), "0.4");  // where guidance comes in, wherever that is
}

TEST(Dial, LeavesARecordOfFewerKnobsAsItIs) {
    // As gass 0.1 wrote it down: its candidates looked ahead, and half of them were dropped.
    const Methods then(
        "gass:strength=0.5,interval=0.73,guidance=1.9,start=1,mean_scale=1.33,candidates=4,push=off,"
        "select_time=0.75,scout_steps=3,drop=0.5,push_until=0.85,axes=4,targets=ladder,half_width=0.2,gain=0."
        "5,"
        "dep=0,ind=1,ridge=0.1,trust=0.1,injection=keep-noise");
    for (const Dial& dial : {kFlow, kDiffusion, kDistilled}) {
        const MethodSpec now = parse_methods(then.completed(dial, true).text()).front();
        EXPECT_EQ(value_of(now, "match"), "0");
        EXPECT_EQ(value_of(now, "early_steps"), "0");
        EXPECT_EQ(value_of(now, "weaken"), "0");
        EXPECT_EQ(value_of(now, "scout_steps"), "3");
        EXPECT_EQ(value_of(now, "drop"), "0.5");
        EXPECT_EQ(value_of(now, "select_time"), "0.75");
    }
}

TEST(Dial, DistilledModelsSeeLessOfThePromptAtFirst) {
    const MethodSpec guided = kFlow.apply(parse_methods("gass").front(), true);
    EXPECT_EQ(value_of(guided, "weaken"), "0");
    EXPECT_GT(std::stod(value_of(guided, "guidance")), 1.0);
    const MethodSpec distilled = kDistilled.apply(parse_methods("gass").front(), true);
    EXPECT_GT(std::stod(value_of(distilled, "weaken")), 0.0);
    EXPECT_EQ(value_of(distilled, "guidance"), "1");  // there is none to turn
}

TEST(Dial, WithoutAGuideNothingIsChosen) {
    const MethodSpec spec = kDiffusion.apply(parse_methods("gass").front(), false);
    EXPECT_EQ(value_of(spec, "candidates"), "1");
    EXPECT_FALSE(Methods(to_string(MethodSpecs{spec})).look());
}

TEST(Dial, MeasuresEffortsAsTheyAre) {
    EXPECT_DOUBLE_EQ(Dial::of_efforts(Family::flow, /*is_guided=*/true).effort(0.6), 0.6);
    EXPECT_LT(kFlow.effort(1.0), 1.0);  // nobody measured how far this model can go
}

RC_GTEST_PROP(Dial, EffortRisesWithStrength, ()) {
    const Dial dial(Family::flow, /*is_guided=*/true, {{0.0, 0.0}, {0.25, 0.1}, {0.5, 0.4}, {1.0, 0.9}});
    const double a = *rc::gen::inRange(0, 1000) / 1000.0;
    const double b = *rc::gen::inRange(0, 1000) / 1000.0;
    RC_PRE(a < b);
    RC_ASSERT(dial.effort(a) < dial.effort(b));
    RC_ASSERT(dial.effort(0.0) == 0.0);
    RC_ASSERT(std::abs(dial.effort(0.75) - 0.65) < 1e-12);
}

RC_GTEST_PROP(Dial, TurnsARecordedMethodAnew, ()) {
    const Dial dial = *rc::gen::element(kFlow, kDiffusion, kDistilled);
    const bool can_look = *rc::gen::arbitrary<bool>();
    const double then = *rc::gen::inRange(0, 101) / 100.0;
    const double now = *rc::gen::inRange(0, 101) / 100.0;
    const auto recorded = [&](double strength) {
        Methods methods("cads:scale=0.2+gass:dep=1,push=on");
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
                  "gass:strength=0.8,interval=0.7,guidance=2,start=1,mean_scale=1.2,candidates=4,match=0.4,"
                  "drop=0,select_time=0.7,early_steps=2,scout_steps=0,weaken=0,push=on"),
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
                       [] { kFlow.apply(parse_methods("gass:strength=1.5").front(), true); });
}

}  // namespace
}  // namespace gass
