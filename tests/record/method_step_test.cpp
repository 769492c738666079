#include "record/candidate.h"
#include "record/method_step_json.h"
#include "record/samples.h"
#include "support/expect_error.h"

#include <rapidcheck/gtest.h>

namespace gass {
namespace {

using test::any_count;
using test::any_number;
using test::any_numbers;
using test::any_text;

MethodStep read(std::string_view text) {
    return read_method_step(parse_json(text, "test"), "step").value();
}

std::vector<Unmoved> any_unmoved(std::size_t images) {
    std::vector<Unmoved> unmoved;
    for (std::size_t i = 0; i < images; ++i) {
        if (*rc::gen::arbitrary<bool>()) unmoved.push_back({i, any_text()});
    }
    return unmoved;
}

Candidate any_candidate() {
    Candidate candidate{.seed = *rc::gen::arbitrary<std::uint64_t>(),
                        .along = any_number(),
                        .across = any_number(),
                        .fate = *rc::gen::elementOf(std::vector{
                            CandidateFate::kept, CandidateFate::kept_not_seen, CandidateFate::less_matching,
                            CandidateFate::less_volume, CandidateFate::not_seen, CandidateFate::other})};
    if (candidate.fate == CandidateFate::other) candidate.reason = any_text();
    return candidate;
}

Selection any_selection() {
    Selection selection{
        .step = any_count(30), .time = any_number(), .candidates = {}, .seconds = any_number()};
    for (std::size_t i = any_count(6); i > 0; --i) selection.candidates.push_back(any_candidate());
    return selection;
}

std::vector<Numbers> any_rows(std::size_t images, std::size_t axes) {
    std::vector<Numbers> rows;
    for (std::size_t i = 0; i < images; ++i) rows.push_back(any_numbers(axes));
    return rows;
}

Push any_push() {
    Push push{.step = any_count(30), .time = any_number()};
    if (*rc::gen::arbitrary<bool>()) {
        push.skipped = "x" + any_text();
        return push;
    }
    const std::size_t images = any_count(5);
    const std::size_t axes = any_count(3);
    push.energies = any_numbers(axes);
    push.along = any_numbers(images);
    push.target_along = any_numbers(images);
    push.before = any_rows(images, axes);
    push.target = any_rows(images, axes);
    push.latent_moves = any_numbers(images);
    push.unmoved = any_unmoved(images);
    push.seconds = any_number();
    return push;
}

Expansion any_expansion() {
    const std::size_t images = any_count(5);
    const auto projections = [&] {
        return Expansion::Projections{any_numbers(images), any_numbers(images), any_numbers(images)};
    };
    Expansion expansion{.step = any_count(30), .latent_moves = any_numbers(images), .seconds = any_number()};
    if (*rc::gen::arbitrary<bool>()) expansion.unmoved = any_unmoved(images);
    if (*rc::gen::arbitrary<bool>()) {
        expansion.shifts = Expansion::Shifts{.dependent = projections(),
                                             .independent = projections(),
                                             .loss_start = any_numbers(images),
                                             .loss_end = any_numbers(images),
                                             .iterations = any_count(100)};
    }
    return expansion;
}

Repulsion any_repulsion() {
    Repulsion repulsion{.step = any_count(30), .time = any_number(), .likelihood = any_number()};
    if (*rc::gen::arbitrary<bool>()) {
        repulsion.skipped = "x" + any_text();
    } else {
        repulsion.latent_moves = any_numbers(any_count(5));
    }
    return repulsion;
}

Repellency any_repellency() {
    return {.step = any_count(30),
            .time = any_number(),
            .radius = any_number(),
            .active = any_number(),
            .latent_moves = any_numbers(any_count(5))};
}

RC_GTEST_PROP(MethodSteps, ReadBackAsTheyWere, ()) {
    const std::vector<MethodStep> steps{any_selection(), any_push(), any_expansion(), any_repulsion(),
                                        any_repellency()};
    RC_ASSERT(read_method_steps(test::written(to_json(steps)), "test") == steps);
}

TEST(MethodSteps, HaveTheWordsOfOldFiles) {
    Push push{.step = 3, .time = 0.5, .energies = {0.25}};
    push.along = {0.5};
    push.target_along = {0.75};
    push.before = {{0.125}};
    push.target = {{}};
    push.latent_moves = {std::nullopt};
    push.unmoved = {{0, "it is there"}};
    EXPECT_EQ(to_json(push).dump(),
              R"({"step":3,"time":0.5,"kind":"push","energies":[0.25],"along":[0.5],"target_along":[0.75],)"
              R"("before":[[0.125]],"target":[[]],"latent_move":[null],)"
              R"("unmoved":[{"image":0,"reason":"it is there"}],"seconds":null})");
    EXPECT_EQ(to_json(Push{.step = 3, .time = 1.0, .skipped = "an embedding is not finite"}).dump(),
              R"({"step":3,"time":1.0,"kind":"push","skipped":"an embedding is not finite"})");
    EXPECT_EQ(to_json(Expansion{.step = 1, .latent_moves = {0.5}, .seconds = 2.0}).dump(),
              R"({"step":1,"latent_move":[0.5],"seconds":2.0})");
    EXPECT_EQ(to_json(Repulsion{.step = 1, .time = 0.5, .likelihood = -2.0, .skipped = "no way"}).dump(),
              R"({"step":1,"time":0.5,"kind":"repel","likelihood":-2.0,"skipped":"no way"})");
    EXPECT_EQ(to_json(std::vector<MethodStep>{}).dump(), "[]");
}

TEST(CandidateFates, HaveTheWordsOfOldFiles) {
    const auto written = [](CandidateFate fate) {
        return to_json(Selection{.step = 0,
                                 .time = 0.5,
                                 .candidates = {{.seed = 7, .along = 0.5, .across = 0.25, .fate = fate}},
                                 .seconds = 1.0})["candidates"][0]
            .dump();
    };
    const std::string place = R"({"seed":7,"along":0.5,"across":0.25,"kept":)";
    EXPECT_EQ(written(CandidateFate::kept), place + "true}");
    EXPECT_EQ(written(CandidateFate::kept_not_seen),
              place + R"(true,"reason":"its embedding is not finite"})");
    EXPECT_EQ(written(CandidateFate::less_matching),
              place + R"(false,"reason":"matches the prompt less than others"})");
    EXPECT_EQ(written(CandidateFate::less_volume),
              place + R"(false,"reason":"adds less volume than others"})");
    EXPECT_EQ(written(CandidateFate::not_seen), place + R"(false,"reason":"its embedding is not finite"})");
    EXPECT_EQ(written(CandidateFate::other), place + "false}");
}

TEST(CandidateFates, KeepTheWordsOfOtherFiles) {
    const auto selection = std::get<Selection>(read(R"({"kind": "select", "step": 3, "candidates": [
        {"seed": 1, "kept": false, "reason": "does not match, adds no volume"},
        {"seed": 2, "kept": false},
        {"seed": 3, "kept": true, "reason": "adds less volume than others"}]})"));
    EXPECT_EQ(selection.candidates[0].fate, CandidateFate::other);
    EXPECT_EQ(reason_of(selection.candidates[0]), "does not match, adds no volume");
    EXPECT_EQ(selection.candidates[1].fate, CandidateFate::other);
    EXPECT_EQ(reason_of(selection.candidates[1]), "");
    EXPECT_EQ(selection.candidates[2].fate, CandidateFate::kept);
    EXPECT_EQ(count_kept(selection), 1U);
    EXPECT_EQ(count_of(selection, CandidateFate::other), 2U);
    EXPECT_EQ(std::get<Selection>(read(to_json(selection).dump())), selection);
}

TEST(MethodSteps, OfOtherMethodsAreLeftOut) {
    const Json json = parse_json(
        R"([{"kind": "of another method", "step": 1}, {"step": 2}, {"kind": "repel", "step": 3}])", "test");
    EXPECT_EQ(read_method_steps(json, "steps"), (std::vector<MethodStep>{Repulsion{.step = 3, .time = {}}}));
}

TEST(MethodSteps, MayLeaveOutWhatTheyDoNotTell) {
    const auto push = std::get<Push>(read(R"({"kind": "push", "step": 1, "along": [1], "before": [[1]],
                                             "target_along": [1], "target": [[1]]})"));
    EXPECT_FALSE(push.time);
    EXPECT_TRUE(push.latent_moves.empty());
    const auto expansion =
        std::get<Expansion>(read(R"({"step": 3, "unmoved": [{"image": 7, "reason": "x"}]})"));
    EXPECT_FALSE(expansion.shifts);
    EXPECT_EQ(expansion.unmoved, (std::vector<Unmoved>{{7, "x"}}));
}

TEST(MethodSteps, NameWhatIsWrong) {
    const auto refused = [](std::string_view text, const std::string& part) {
        const Json json = parse_json(text, "test");
        test::expect_error(ErrorCode::model_invalid, part, [&] { read_method_steps(json, "method_steps"); });
    };
    refused("{}", "expected an array");
    refused("[3]", "method_steps[0]] expected a JSON object");
    refused(R"([{"kind": 3}])", "\"kind\" must be a string");
    refused(R"([{"kind": "repel", "step": -1}])", "method_steps[0].step] expected a whole number");
    refused(R"([{"kind": "shield", "step": 1, "radius": "wide"}])", "method_steps[0].radius");
    refused(R"([{"kind": "select", "step": 1}])", "method_steps[0]] the key \"candidates\" is missing");
    refused(R"([{"kind": "select", "step": 1, "candidates": [{"seed": 1, "kept": 1}]}])", "candidates[0]");
    refused(R"([{"kind": "push", "step": 1, "along": [1], "before": [[1]],
                "target_along": [1, 2], "target": [[1], [2]]}])",
            "2 entries where 1");
    refused(R"([{"kind": "push", "step": 1, "along": [1], "before": [[1]], "target_along": [1],
                "target": [[1]], "latent_move": [1, 2]}])",
            "latent_move has 2 entries where 1");
    refused(R"([{"kind": "push", "step": 1, "along": [1], "before": [[1]],
                "target_along": [1], "target": [[1]], "unmoved": [{"image": 5, "reason": ""}]}])",
            "image 5 of 1");
    refused(R"([{"step": 1, "dependent": {"before": [1], "target": [1], "after": [1]},
                "independent": {"before": [1], "target": [1], "after": []}}])",
            "0 entries where 1");
    refused(R"([{"step": 1, "dependent": {"before": [], "target": [], "after": []}}])",
            "\"independent\" is missing");
    refused(R"([{"step": 1, "dependent": {"before": [], "target": [], "after": []}, "loss": {"start": [1],
                "end": []}, "independent": {"before": [], "target": [], "after": []}}])",
            "method_steps[0].loss");
}

}  // namespace
}  // namespace gass
