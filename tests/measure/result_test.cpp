#include "measure/metric/result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace gass {
namespace {

MetricResult vendi() {
    MetricResult result;
    result.metric = "vendi";
    result.value = 1.75;
    result.interval = Interval{1.5, 2};
    result.images = 15;
    result.deviation = 0.25;
    result.groups = {{"cat", 6, 1.5, ""}, {"dog", 9, 2.0, ""}, {"one", 1, {}, "too few"}};
    result.encoder = {"a,b", "00", "none"};
    result.parameters = {{"order", std::int64_t{1}}};
    return result;
}

TEST(Result, SaysAllInJsonAndCsv) {
    const MetricResult result = vendi();
    const Json json = to_json(result);
    for (const char* key : {"metric", "value", "interval", "n", "std", "groups", "encoder", "weights",
                            "preprocessing", "order"})
        EXPECT_TRUE(json.contains(key)) << key;
    const std::string csv = to_csv({result});
    EXPECT_THAT(csv, testing::StartsWith("metric,value,low,high,"));
    EXPECT_THAT(csv, testing::HasSubstr("\"a,b\",00,none,order=1"));
    EXPECT_EQ(std::ranges::count(csv, '\n'), 2);
}

TEST(Result, ParametersKeepTheirKinds) {
    MetricResult result = vendi();
    result.parameters = {{"k", std::int64_t{5}}, {"comparison", "<"}, {"per_class", false}, {"sigma", 3.0}};
    EXPECT_THAT(to_json(result).dump(),
                testing::HasSubstr(R"("k":5,"comparison":"<","per_class":false,"sigma":3.0)"));
    EXPECT_THAT(to_csv({result}), testing::HasSubstr("k=5 comparison=< per_class=false sigma=3.0"));
    EXPECT_EQ(result.find_parameter("order"), nullptr);
}

TEST(Result, WhatIsNotKnownOfAnEncoderIsLeftOut) {
    EXPECT_EQ(to_json(EncoderInfo{"a.npy", {}, {}}).dump(), R"({"encoder":"a.npy"})");
    EXPECT_EQ(to_json(EncoderInfo{"pixels", "", "none"}).dump(),
              R"({"encoder":"pixels","weights":"","preprocessing":"none"})");
}

TEST(Result, APersonSeesTheOrderUnlessItIsTheUsualOne) {
    MetricResult result = vendi();
    EXPECT_THAT(result_row(result),
                testing::ElementsAre("vendi", "1.75", "1.5 … 2", "0.25", "15 in 3 groups", "a,b"));
    result.parameters = {{"order", 0.5}};
    EXPECT_EQ(result_row(result).front(), "vendi (order 0.5)");
    result.parameters = {{"order", "inf"}};
    EXPECT_EQ(result_row(result).front(), "vendi (order inf)");
}

TEST(Result, AMeasurementSaysWhatItIsOf) {
    MeasureResult measurement;
    measurement.images = 15;
    measurement.unreadable = {{"a.png", "damaged"}};
    const Json json = to_json(measurement, {.metric_seed = 7, .bootstrap = 10});
    EXPECT_EQ(json.dump(),
              R"({"results":[],"bootstrap":{"resamples":10,"level":0.95,"seed":7},"images":15,)"
              R"("groups":0,"from_cache":0,"unreadable":[{"file":"a.png","reason":"damaged"}]})");
    EXPECT_EQ(to_json(measurement, {.features = "a.npy"})["features"], "a.npy");
}

}  // namespace
}  // namespace gass
