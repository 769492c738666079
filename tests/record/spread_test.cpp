#include "record/samples.h"
#include "record/spread_json.h"
#include "support/expect_error.h"

#include <rapidcheck/gtest.h>

#include <limits>

namespace gass {
namespace {

TEST(SpreadJson, HasTheWordsOfOldFiles) {
    Spread spread{.vendi = 1.5,
                  .pairwise = 0.25,
                  .spp = 0.75,
                  .d_dep = 0.25,
                  .d_ind = 0.5,
                  .clip_score = std::nullopt,
                  .along = {0.5, std::nullopt},
                  .across = {-1.0, 1.0},
                  .target = {}};
    const std::string numbers =
        R"("vendi":1.5,"pairwise":0.25,"spp":0.75,"d_dep":0.25,"d_ind":0.5,"clip_score":null,)"
        R"("along":[0.5,null],"across":[-1.0,1.0])";
    EXPECT_EQ(to_json(spread).dump(), "{" + numbers + "}");
    spread.target = {.metric = "spp",
                     .wanted = 0.5,
                     .reached = 0.75,
                     .plain = 0.25,
                     .strength = 0.125,
                     .sets = 3,
                     .met = false};
    EXPECT_EQ(to_json(spread).dump(),
              "{" + numbers +
                  R"(,"target":{"metric":"spp","wanted":0.5,"reached":0.75,"plain":0.25,)"
                  R"("strength":0.125,"sets":3,"met":false}})");
}

RC_GTEST_PROP(SpreadJson, ReadsBackAsItWas, ()) {
    const std::size_t images = test::any_count(5);
    Spread spread{.vendi = test::any_number(),
                  .pairwise = test::any_number(),
                  .spp = test::any_number(),
                  .d_dep = test::any_number(),
                  .d_ind = test::any_number(),
                  .clip_score = test::any_number(),
                  .along = test::any_numbers(images),
                  .across = test::any_numbers(images),
                  .target = {}};
    if (*rc::gen::arbitrary<bool>()) {
        spread.target = {.metric = test::any_text(),
                         .wanted = test::any_double(),
                         .reached = test::any_double(),
                         .plain = test::any_double(),
                         .strength = test::any_double(),
                         .sets = test::any_count(9),
                         .met = *rc::gen::arbitrary<bool>()};
    }
    RC_ASSERT(read_spread(test::written(to_json(spread)), "test") == spread);
}

TEST(SpreadJson, NamesWhatIsWrong) {
    const auto refused = [](std::string_view text, const std::string& part) {
        const Json json = parse_json(text, "test");
        test::expect_error(ErrorCode::model_invalid, part, [&] { read_spread(json, "spread"); });
    };
    refused("3", "[spread] expected a JSON object");
    refused("{}", "\"along\" is missing");
    refused(R"({"along": 3, "across": []})", "[spread.along] expected an array");
    refused(R"({"along": [1, 2], "across": [1]})", "1 entry where 2");
    refused(R"({"along": ["a"], "across": [1]})", "expected a number");
    refused(R"({"along": [1e300], "across": [1]})", "too large");
    refused(R"({"along": [], "across": [], "vendi": "x"})", "[spread.vendi]");
    refused(R"({"along": [], "across": [], "target": []})", "[spread.target]");
    refused(R"({"along": [], "across": [], "target": {"metric": "spp"}})", "\"wanted\" is missing");
}

}  // namespace
}  // namespace gass
