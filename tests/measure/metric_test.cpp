#include "measure/metric/metric.h"

#include "support/expect_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gass {
namespace {

using test::expect_error;

TEST(Metrics, AreParsedInOrderAndOnce) {
    EXPECT_THAT(parse_metrics("vendi,prdc,recall"),
                testing::ElementsAre(Metric::vendi, Metric::precision, Metric::recall, Metric::density,
                                     Metric::coverage));
    for (const MetricSpec& spec : metric_specs())
        EXPECT_THAT(parse_metrics(spec.name), testing::ElementsAre(spec.metric));
    expect_error(ErrorCode::usage, "clip_score", [] { parse_metrics("vendi,beauty"); });
    expect_error(ErrorCode::usage, "no metric", [] { parse_metrics(""); });
}

TEST(Metrics, TheUsualOnesAreThoseThatCanBeMeasured) {
    EXPECT_THAT(usual_metrics({}), testing::ElementsAre(Metric::vendi));
    EXPECT_THAT(usual_metrics({.pairs = true}), testing::ElementsAre(Metric::vendi, Metric::pairwise));
    EXPECT_THAT(usual_metrics({.pairs = true, .text = true}),
                testing::ElementsAre(Metric::clip_score, Metric::vendi, Metric::pairwise));
    EXPECT_THAT(usual_metrics({.text = true, .one_prompt = true}),
                testing::ElementsAre(Metric::clip_score, Metric::vendi));
    EXPECT_THAT(usual_metrics({.pairs = true, .text = true, .one_prompt = true, .reference = true}),
                testing::ElementsAre(Metric::spp, Metric::clip_score, Metric::vendi, Metric::pairwise,
                                     Metric::precision, Metric::recall, Metric::density, Metric::coverage));
}

}  // namespace
}  // namespace gass
