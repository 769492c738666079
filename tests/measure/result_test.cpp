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
    EXPECT_EQ(std::ranges::count(csv, '\n'), 5);  // the header, all images, each group
}

MetricResult clip_score() {
    MetricResult result;
    result.metric = "clip_score";
    result.value = 0.25;
    result.images = 3;
    result.groups = {{"cat", 2, 0.2, "", Interval{0.1, 0.3}}, {"dog", 1, 0.3, ""}};
    result.per_image = {{"a.png", "cat", 0.125}, {"b.png", "cat", 0.275}, {"a.png", "dog", 0.3}};
    result.encoder = {"mini-clip", {}, {}};
    result.notes = {"few"};
    return result;
}

TEST(Result, HasALineOfCsvForEachGroupAndImage) {
    const auto line = [](const std::string& start) { return testing::HasSubstr("\n" + start + "\n"); };
    const std::string csv = to_csv({clip_score()}, /*per_image=*/true);
    EXPECT_THAT(csv, line("clip_score,0.25,,,,3,2,,,mini-clip,,,,few,"));
    EXPECT_THAT(csv, line("clip_score,0.2,0.1,0.3,,2,1,cat,,mini-clip,,,,,"));
    EXPECT_THAT(csv, line("clip_score,0.275,,,,1,1,cat,b.png,mini-clip,,,,,"));
    EXPECT_THAT(to_csv({clip_score()}), testing::Not(testing::HasSubstr("b.png")));
    EXPECT_THAT(to_csv({vendi()}), testing::HasSubstr(",1,1,one,,\"a,b\",00,none,order=1,,too few"));
}

TEST(Result, AGroupHasItsOwnNumbersBesideItsValue) {
    MetricResult result = vendi();
    result.parameters.emplace_back(MetricParameter{"mean_cosine", 0.5});
    result.groups[0].parameters = {{"mean_cosine", 0.75}};
    EXPECT_THAT(to_csv({result}), testing::HasSubstr(",cat,,\"a,b\",00,none,order=1 mean_cosine=0.75"));
    EXPECT_EQ(to_json(result)["groups"][0]["mean_cosine"], 0.75);
    EXPECT_EQ(to_json(result)["groups"][1].contains("mean_cosine"), false);
}

TEST(Result, JsonHasGroupsAndImages) {
    const Json json = to_json(clip_score());
    EXPECT_EQ(json["groups"].dump(), R"([{"name":"cat","n":2,"value":0.2,"interval":[0.1,0.3]},)"
                                     R"({"name":"dog","n":1,"value":0.3,"interval":null}])");
    EXPECT_EQ(json["per_image"][2].dump(), R"({"file":"a.png","group":"dog","value":0.3})");
    MetricResult single = clip_score();
    single.per_image = {{"a.png", "", 0.25}};
    EXPECT_EQ(to_json(single)["per_image"].dump(), R"([{"file":"a.png","value":0.25}])");
    EXPECT_FALSE(to_json(vendi()).contains("per_image"));
}

TEST(Result, GroupsAndImagesStandBesideEachOther) {
    MetricResult weighted = clip_score();
    weighted.metric = "clip_score_w";
    weighted.groups[1].value.reset();
    weighted.per_image.erase(weighted.per_image.begin());  // one less could be read
    EXPECT_EQ(group_table({clip_score(), weighted}),
              (ResultTable{{"group", "images", "clip_score", "clip_score_w"},
                           {"cat", "2", "0.2", "0.2"},
                           {"dog", "1", "0.3", "none"}}));
    EXPECT_EQ(image_table({clip_score(), weighted}),
              (ResultTable{{"image", "group", "clip_score", "clip_score_w"},
                           {"a.png", "cat", "0.125", ""},
                           {"b.png", "cat", "0.275", "0.275"},
                           {"a.png", "dog", "0.3", "0.3"}}));
    MetricResult other = clip_score();
    other.encoder.name = "clip";
    EXPECT_EQ(group_table({clip_score(), other, weighted})[0],
              (std::vector<std::string>{"group", "images", "clip_score mini-clip", "clip_score clip",
                                        "clip_score_w"}));
    MetricResult fid;
    EXPECT_EQ(group_table({fid}).size(), 1U);
    EXPECT_EQ(image_table({fid}).size(), 1U);
    MetricResult twice;
    twice.per_image = {{"a.png", "", 0.5}, {"a.png", "", 0.5}};
    EXPECT_EQ(image_table({twice}).size(), 3U);
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
    EXPECT_THAT(result_table({result})[1],
                testing::ElementsAre("vendi", "1.75", "1.5 … 2", "0.25", "15 in 3 groups", "a,b"));
    result.parameters = {{"order", 0.5}};
    EXPECT_EQ(result_table({result})[1].front(), "vendi (order 0.5)");
    result.parameters = {{"order", "inf"}};
    EXPECT_EQ(result_table({result})[1].front(), "vendi (order inf)");
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
