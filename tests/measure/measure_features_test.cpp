#include "measure/measure_features.h"

#include "measure/outcome.h"
#include "metrics/vendi.h"
#include "support/expect_error.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace gass {
namespace {

using test::expect_error;

at::Tensor random_rows(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
    at::Generator generator = at::detail::createCPUGenerator(seed);
    return at::randn({rows, columns}, generator, at::kFloat);
}

std::vector<GroupFeatures> two_groups() {
    return {{"cat", random_rows(6, 8, 1), random_rows(1, 8, 3)[0]},
            {"dog", random_rows(9, 8, 2), random_rows(1, 8, 4)[0]}};
}

MetricResult one(Metric metric, const std::vector<GroupFeatures>& groups,
                 const ReferenceFeatures& reference = {}, const MetricOptions& options = {}) {
    const std::vector<MetricResult> results = measure_features({metric}, groups, reference, options);
    EXPECT_EQ(results.size(), 1U);
    return results.front();
}

using Value = decltype(MetricParameter::value);

Value parameter(const MetricResult& result, std::string_view name) {
    const MetricParameter* found = result.find_parameter(name);
    return found == nullptr ? Value("there is none") : found->value;
}

TEST(Measure, AMetricIsTheMeanOverGroups) {
    const auto groups = two_groups();
    const MetricResult result = one(Metric::vendi, groups);
    const double cat = vendi(groups[0].images);
    const double dog = vendi(groups[1].images);
    EXPECT_NEAR(result.value.value(), (cat + dog) / 2, 1e-12);
    EXPECT_NEAR(result.deviation.value(), std::abs(cat - dog) / std::sqrt(2.0), 1e-12);
    ASSERT_EQ(result.groups.size(), 2U);
    EXPECT_EQ(result.groups[1].name, "dog");
    EXPECT_NEAR(result.groups[1].value.value(), dog, 1e-12);
    EXPECT_EQ(result.images, 15);
}

TEST(Measure, AnOrderIsAResultOfItsOwn) {
    MetricOptions options;
    options.orders = {0.5, 1, std::numeric_limits<double>::infinity()};
    const auto results = measure_features({Metric::vendi}, {two_groups()[0]}, {}, options);
    ASSERT_EQ(results.size(), 3U);
    EXPECT_GT(results[0].value.value(), results[1].value.value());
    EXPECT_GT(results[1].value.value(), results[2].value.value());
    EXPECT_EQ(parameter(results[2], "order"), Value("inf"));
}

TEST(Measure, IntervalsHoldTheValueAndCanBeLeftOut) {
    MetricOptions options;
    for (const Metric metric :
         {Metric::vendi, Metric::pairwise, Metric::mss, Metric::clip_score, Metric::spp, Metric::spp_pca}) {
        const MetricResult result = one(metric, {two_groups()[1]});
        ASSERT_TRUE(result.interval.has_value()) << result.metric;
        EXPECT_LT(result.interval->low, result.value.value()) << result.metric;
        EXPECT_GT(result.interval->high, result.value.value()) << result.metric;
    }
    options.resamples = 0;
    EXPECT_FALSE(one(Metric::vendi, {two_groups()[0]}, {}, options).interval.has_value());
}

TEST(Measure, IntervalsStayInTheRangeOfTheMetric) {
    // Cosines of 1 and a little less: an expansion of first order leads out of what a cosine can be.
    at::Tensor images = at::ones({6, 8});
    images[5][0] = -1;
    std::vector<GroupFeatures> groups;
    for (const char* name : {"a", "b", "c", "d"}) groups.push_back({name, images, at::ones({8})});
    groups.push_back({"e", at::ones({6, 8}), at::ones({8})});
    for (const MetricSpec& spec : metric_specs()) {
        if (spec.needs_reference || spec.needs_reward || spec.needs_classes) continue;
        SCOPED_TRACE(spec.name);
        const MetricResult result = one(spec.metric, groups);
        std::vector<std::optional<Interval>> intervals{result.interval};
        for (const GroupValue& group : result.groups) intervals.push_back(group.interval);
        for (const std::optional<Interval>& interval : intervals) {
            if (!interval) continue;
            EXPECT_GE(interval->low, spec.range.low);
            EXPECT_LE(interval->high, spec.range.high);
        }
    }
    MetricResult result;
    result.interval = Interval{-2.8e-17, 5};
    result.groups = {{"a", 3, 0.0, "", Interval{-1, 0.5}}};
    keep_in_range(result, {0, 4});
    EXPECT_EQ(result.interval, (Interval{0, 4}));
    EXPECT_EQ(result.groups[0].interval, (Interval{0, 0.5}));
}

TEST(Measure, AMeanOfImagesHasTheValueOfEach) {
    std::vector<GroupFeatures> groups = two_groups();
    for (std::size_t i = 0; i < 6; ++i) groups[0].files.emplace_back(std::to_string(i) + ".png");
    const MetricResult both = one(Metric::clip_score, groups);
    ASSERT_EQ(both.per_image.size(), 15U);
    EXPECT_EQ(both.per_image[1].file, "1.png");
    EXPECT_EQ(both.per_image[1].group, "cat");
    EXPECT_EQ(both.per_image[14].group, "dog");
    const at::Tensor wanted = at::cosine_similarity(groups[0].images, groups[0].texts.unsqueeze(0), 1);
    double sum = 0;
    for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_NEAR(both.per_image[i].value, wanted[static_cast<std::int64_t>(i)].item<double>(), 1e-6);
        sum += both.per_image[i].value;
    }
    EXPECT_NEAR(both.groups[0].value.value(), sum / 6, 1e-12);
    EXPECT_TRUE(both.groups[0].interval.has_value());
    const MetricResult single = one(Metric::clip_score, {groups[0]});
    EXPECT_EQ(single.per_image[1].group, "");
    EXPECT_TRUE(one(Metric::vendi, groups).per_image.empty());
}

TEST(Measure, LpipsIsTheMeanSquaredDistanceOfItsRows) {
    const std::vector<GroupFeatures> groups{{"", random_rows(5, 8, 1), {}}};
    const MetricResult result = one(Metric::lpips, groups);
    const at::Tensor& rows = groups[0].images;
    const at::Tensor all = (rows.unsqueeze(0) - rows.unsqueeze(1)).square().sum(-1);
    EXPECT_NEAR(result.value.value(), all.sum().item<double>() / 20, 1e-5);
    ASSERT_EQ(result.per_image.size(), 5U);
    EXPECT_NEAR(result.per_image[2].value, all[2].sum().item<double>() / 4, 1e-5);
    EXPECT_LT(result.interval->low, *result.value);
    EXPECT_GT(result.interval->high, *result.value);
}

TEST(Measure, FewImagesForTheInceptionScoreAreNoted) {
    const std::vector<GroupFeatures> few{{"", random_rows(12, 8, 1), {}}};
    const MetricResult result = one(Metric::inception_score, few);
    EXPECT_GT(result.value.value(), 1);
    EXPECT_EQ(parameter(result, "splits"), Value(std::int64_t{10}));
    EXPECT_THAT(result.notes, testing::ElementsAre(testing::HasSubstr("12 images in 10 splits")));
    EXPECT_THAT(one(Metric::inception_score, {{"", random_rows(9, 8, 1), {}}}).reason,
                testing::HasSubstr("each of 10 splits, got 9"));
}

TEST(Measure, SeedAndResamplesReachEveryInterval) {
    for (const Metric metric : {Metric::vendi, Metric::spp, Metric::spp_pca, Metric::d_dep, Metric::d_ind}) {
        MetricOptions options;
        const auto interval = one(metric, {two_groups()[1]}, {}, options).interval;
        options.seed = options.spp.seed = 7;
        EXPECT_NE(one(metric, {two_groups()[1]}, {}, options).interval, interval);
        options.resamples = options.spp.resamples = 0;
        EXPECT_FALSE(one(metric, {two_groups()[1]}, {}, options).interval.has_value());
    }
}

TEST(Measure, SppIsTheSumOfItsParts) {
    const auto groups = two_groups();
    EXPECT_NEAR(one(Metric::spp, groups).value.value(),
                one(Metric::d_dep, groups).value.value() + one(Metric::d_ind, groups).value.value(), 1e-12);
    EXPECT_TRUE(one(Metric::d_dep, groups).deviation.has_value());
}

TEST(Measure, WhatCannotBeComputedHasAReason) {
    const GroupFeatures single{"one", random_rows(1, 8, 1), {}};
    const MetricResult pairwise = one(Metric::pairwise, {single});
    EXPECT_FALSE(pairwise.value.has_value());
    EXPECT_THAT(pairwise.reason, testing::HasSubstr("two images"));
    EXPECT_THAT(one(Metric::clip_score, {single}).reason, testing::HasSubstr("no prompt"));
    EXPECT_THAT(one(Metric::hypervolume, {{"same", at::ones({3, 8}), {}}}).reason,
                testing::HasSubstr("no volume"));
    EXPECT_NEAR(one(Metric::vendi, {single}).value.value(), 1, 1e-9);
}

TEST(Measure, AGroupWithoutAValueIsLeftOutAndSaid) {
    auto groups = two_groups();
    groups.push_back({"one", random_rows(1, 8, 7), {}});
    const MetricResult result = one(Metric::pairwise, groups);
    ASSERT_TRUE(result.value.has_value());
    EXPECT_THAT(result.groups[2].reason, testing::HasSubstr("two images"));
    EXPECT_THAT(result.notes, testing::ElementsAre(testing::HasSubstr("1 of 3 groups")));
}

TEST(Measure, ClassesMeetTheirOwnReference) {
    auto groups = two_groups();
    // Each class far away from the other: only its own reference is near.
    groups[1].images = groups[1].images + 100;
    ReferenceFeatures reference;
    for (const GroupFeatures& group : {groups[1], groups[0]})
        reference.groups.push_back({group.name, group.images + 0.01, {}});
    MetricOptions options;
    options.k = 3;
    const MetricResult by_class = one(Metric::coverage, groups, reference, options);
    EXPECT_EQ(parameter(by_class, "per_class"), Value(true));
    EXPECT_NEAR(by_class.value.value(), 1, 1e-12);
    EXPECT_EQ(parameter(by_class, "reference_n"), Value(std::int64_t{15}));

    // A class that the reference lacks is left out, not compared with the others.
    reference.groups[0].name = "horse";
    const MetricResult half = one(Metric::coverage, groups, reference, options);
    EXPECT_EQ(parameter(half, "per_class"), Value(true));
    EXPECT_EQ(parameter(half, "reference_n"), Value(std::int64_t{6}));
    EXPECT_THAT(half.groups[1].reason, testing::HasSubstr("dog"));
    EXPECT_THAT(half.notes, testing::ElementsAre(testing::HasSubstr("1 of 2 groups")));

    // One class of images meets its own part of the reference, not all of it.
    const MetricResult single = one(Metric::coverage, {groups[0]}, reference, options);
    EXPECT_EQ(parameter(single, "per_class"), Value(true));
    EXPECT_EQ(parameter(single, "reference_n"), Value(std::int64_t{6}));

    reference.groups[1].name = "bird";
    const MetricResult whole = one(Metric::coverage, groups, reference, options);
    EXPECT_EQ(parameter(whole, "per_class"), Value(false));
    EXPECT_EQ(parameter(whole, "reference_n"), Value(std::int64_t{15}));
    EXPECT_THAT(whole.notes, testing::ElementsAre(testing::HasSubstr("no group has its name")));
}

TEST(Measure, TooManyNeighboursAreAReason) {
    const auto groups = two_groups();
    MetricOptions options;
    options.k = 6;
    const MetricResult result = one(Metric::density, {groups[0]}, {"", {groups[1]}, {}}, options);
    EXPECT_FALSE(result.value.has_value());
    EXPECT_THAT(result.reason, testing::HasSubstr("6"));
}

TEST(Measure, PrecisionIsAboutTheImagesAndRecallAboutTheReference) {
    // Images in one corner of a wide reference: all of them real, most of the reference missing.
    const at::Tensor wide = random_rows(200, 2, 1) * 10;
    const at::Tensor narrow = random_rows(200, 2, 2) * 0.1;
    const std::vector<GroupFeatures> images{{"", narrow, {}}};
    const ReferenceFeatures reference{"", {{"", wide, {}}}, {}};
    EXPECT_GT(one(Metric::precision, images, reference).value.value(), 0.9);
    EXPECT_LT(one(Metric::recall, images, reference).value.value(), 0.1);
}

TEST(Measure, StatisticsServeForFidOnly) {
    const auto groups = two_groups();
    const ReferenceFeatures reference{"real.npz", {}, statistics_of(random_rows(50, 8, 9))};
    EXPECT_GT(one(Metric::fid, groups, reference).value.value(), 0);
    EXPECT_EQ(parameter(one(Metric::fid, groups, reference), "reference"), Value("real.npz"));
    EXPECT_EQ(parameter(one(Metric::fid, groups, reference), "reference_n"), Value(std::int64_t{50}));
    EXPECT_THAT(one(Metric::precision, groups, reference).reason, testing::HasSubstr("statistics"));
}

TEST(Measure, FewImagesForFidAreNoted) {
    const std::vector<GroupFeatures> few{{"", random_rows(5, 8, 1), {}}};
    const MetricResult result = one(Metric::fid, few, {"", {{"", random_rows(20, 8, 2), {}}}, {}});
    EXPECT_TRUE(std::isfinite(result.value.value()));
    EXPECT_THAT(result.notes, testing::ElementsAre(testing::HasSubstr("singular")));
}

TEST(Measure, SeveralPromptsHaveNoSpread) {
    const std::vector<GroupFeatures> mixed{{"", random_rows(4, 8, 1), random_rows(4, 8, 2)}};
    EXPECT_THAT(one(Metric::spp, mixed).reason, testing::HasSubstr("several prompts"));
    EXPECT_TRUE(one(Metric::clip_score, mixed).value.has_value());
}

TEST(Measure, TheWeightedClipScoreIsClampedAndStretched) {
    const at::Tensor images = at::tensor({1.0F, 0.0F, -1.0F, 0.0F}).view({2, 2});
    const std::vector<GroupFeatures> groups{{"", images, at::tensor({2.0F, 0.0F})}};
    EXPECT_NEAR(one(Metric::clip_score, groups).value.value(), 0, 1e-12);
    EXPECT_NEAR(one(Metric::clip_score_w, groups).value.value(), 1.25, 1e-12);
}

TEST(Measure, FeaturesThatAreNotFiniteAreRefused) {
    at::Tensor images = random_rows(4, 8, 1);
    images[2][3] = std::nan("");
    expect_error(ErrorCode::model_invalid, "2", [&] { one(Metric::vendi, {{"", images, {}}}); });
}

/// As if they were the pixels of four points: metrics of any network can be computed of them.
at::Tensor random_pixels(std::int64_t rows, std::uint64_t seed) {
    constexpr std::int64_t kColumns = 12;
    return at::rand({rows, kColumns}, at::detail::createCPUGenerator(seed), at::kFloat);
}

TEST(Measure, EveryMetricIsWhatItsRowSays) {
    const std::vector<GroupFeatures> groups{{"cat", random_pixels(6, 1), random_pixels(1, 2)[0]},
                                            {"dog", random_pixels(9, 3), random_pixels(1, 4)[0]}};
    const ReferenceFeatures reference{
        "", {{"cat", random_pixels(7, 5), {}}, {"dog", random_pixels(8, 6), {}}}, {}};
    MetricOptions options;
    options.k = 3;
    options.kid.subset_size = 4;
    for (const MetricSpec& spec : metric_specs()) {
        SCOPED_TRACE(spec.name);
        const MetricResult result = one(spec.metric, groups, reference, options);
        ASSERT_TRUE(result.value.has_value()) << result.reason;
        EXPECT_EQ(result.groups.empty(), spec.is_of_all);
        EXPECT_EQ(!result.per_image.empty(), spec.has_image_values);
        constexpr double kRounding = 1e-9;
        EXPECT_GE(*result.value, spec.range.low - kRounding);
        EXPECT_LE(*result.value, spec.range.high + kRounding);
        EXPECT_EQ(result.find_parameter("k") != nullptr, spec.takes_k);
        EXPECT_EQ(result.find_parameter("order") != nullptr, spec.takes_order);
    }
}

TEST(Measure, WithoutWhatItNeedsAMetricHasNoValue) {
    const std::vector<GroupFeatures> bare{{"", random_pixels(6, 1), {}}};
    const std::vector<GroupFeatures> single{{"", random_pixels(1, 1), random_pixels(1, 2)[0]}};
    const std::vector<GroupFeatures> mixed{{"", random_pixels(6, 1), random_pixels(6, 2)}};
    for (const MetricSpec& spec : metric_specs()) {
        SCOPED_TRACE(spec.name);
        if (spec.needs_reward) continue;  // the scores are made with the prompts
        if (spec.needs_text || spec.needs_reference) {
            EXPECT_FALSE(one(spec.metric, bare).value.has_value());
        }
        if (spec.needs_pairs) {
            EXPECT_FALSE(one(spec.metric, single).value.has_value());
        }
        if (!spec.needs_reference && !spec.needs_classes) {  // whose splits may ask for more images
            EXPECT_EQ(one(spec.metric, mixed).value.has_value(), !spec.needs_one_prompt);
        }
    }
}

}  // namespace
}  // namespace gass
