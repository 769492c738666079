#include "record/labels.h"

#include <gtest/gtest.h>

namespace gass {
namespace {

TEST(Labels, AreShort) {
    EXPECT_EQ(short_method("gass:interval=1,strength=0.5,push=on"), "gass, strength 0.5");
    EXPECT_EQ(short_method("gass-paper:r_dep=0.02,r_ind=0.03,steps=4"), "gass-paper, r_dep 0.02, r_ind 0.03");
    EXPECT_EQ(short_method("none"), "none");
    EXPECT_EQ(short_method("x:"), "x");
    EXPECT_EQ(short_method("cads:scale=0.2,tau1=0.6,tau2=0.9+gass:interval=1,strength=0.5"),
              "cads, scale 0.2, tau1 0.6 + gass, strength 0.5");
    EXPECT_EQ(short_method("pg:coefficient=1e+3,gate=2"), "pg, coefficient 1e+3, gate 2");
    EXPECT_EQ(model_label("/models/mini-flow/"), "mini-flow");
    EXPECT_EQ(model_label("org/name"), "name");
    EXPECT_EQ(model_label(""), "");
}

TEST(Labels, NameMethodsThatActTogether) {
    EXPECT_EQ(method_label("none"), "none");
    EXPECT_EQ(method_label("cads:scale=1e+3+gass:candidates=4,push=on"), "cads+gass");
}

TEST(Labels, BreakWhereTheParametersPart) {
    EXPECT_EQ(spaced_method("gass:strength=0.3,dep=1"), "gass: strength=0.3, dep=1");
    EXPECT_EQ(spaced_method("none"), "none");
}

}  // namespace
}  // namespace gass
