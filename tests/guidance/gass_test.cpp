#include "guidance/gass.h"

#include "diffusion/scheduler_config.h"
#include "guidance/fake_vision.h"
#include "record/candidate.h"
#include "sphere/axes.h"

#include <gmock/gmock.h>

#include <numeric>

namespace gass {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const test::FakeVision kVision;

MethodSetup setup_for(std::int64_t images) {
    return {.images = images,
            .chunk = 3,
            .family = Family::flow,
            .vision = &kVision,
            .prompt = kVision.embed_text(""),
            .texts = {},
            .axes = {},
            .shield = {}};
}

GroupStep at_time(double time, const std::vector<std::uint64_t>& seeds) {
    return {.index = 3, .count = 28, .step = {}, .time = time, .seeds = &seeds, .x = nullptr};
}

std::vector<std::uint64_t> seeds_from_100(std::int64_t images) {
    std::vector<std::uint64_t> seeds(static_cast<std::size_t>(images));
    std::iota(seeds.begin(), seeds.end(), 100);
    return seeds;
}

TEST(Gass, GuidanceIsOffAboveTheInterval) {
    GassParams params;
    params.interval = 0.8;
    const auto seeds = seeds_from_100(4);
    Gass method(params, setup_for(4));
    EXPECT_EQ(method.guidance(4.0, at_time(0.81, seeds)), 1.0);
    EXPECT_EQ(method.guidance(4.0, at_time(0.8, seeds)), 4.0);
    params.guidance = 0.5;
    EXPECT_EQ(Gass(params, setup_for(4)).guidance(4.0, at_time(0.8, seeds)), 2.5);
    EXPECT_EQ(Gass(params, setup_for(1)).guidance(4.0, at_time(0.9, seeds)), 4.0);  // nobody to differ from
}

TEST(Gass, ScoutsGoEvenlyToTheTimeOfSelection) {
    const Json json = {{"_class_name", "FlowMatchEulerDiscreteScheduler"}, {"shift", 1.0}};
    const Schedule schedule = make_schedule(SchedulerConfig::from_json(json, "test"), 21, 16);
    GassParams params;
    params.select_time = 0.8;
    std::int64_t candidates = 16;
    const auto looks = [&](std::int64_t steps) {
        params.scout_steps = steps;
        return Gass(params, setup_for(4)).scout(schedule, candidates);
    };
    EXPECT_THAT(looks(3), ElementsAre(0, 3, 5));
    EXPECT_THAT(looks(1), ElementsAre(5));
    EXPECT_EQ(looks(50).size(), 6U);  // no more than there are steps
    EXPECT_TRUE(looks(0).empty());
    candidates = 4;
    EXPECT_TRUE(looks(3).empty());  // nothing to choose
}

const Schedule& even_schedule() {
    static const Schedule schedule =
        make_schedule(SchedulerConfig::from_json(
                          {{"_class_name", "FlowMatchEulerDiscreteScheduler"}, {"shift", 1.0}}, "test"),
                      21, 16);
    return schedule;
}

TEST(Gass, TakesTheEarlyPartInCoarseSteps) {
    GassParams params;
    params.interval = 0.72;
    params.early_steps = 2;
    const Schedule coarse = Gass(params, setup_for(4)).schedule(even_schedule());
    // Times 1, 0.95, … : six above 0.72.
    ASSERT_EQ(coarse.steps.size(), even_schedule().steps.size() - 6 + 2);
    EXPECT_DOUBLE_EQ(coarse.steps[2].timestep, even_schedule().steps[6].timestep);
    EXPECT_EQ(Gass(params, setup_for(1)).schedule(even_schedule()).steps.size(),
              21U);  // nobody to differ from
    params.early_steps = 0;
    EXPECT_EQ(Gass(params, setup_for(4)).schedule(even_schedule()).steps.size(), 21U);
}

TEST(Gass, CandidatesThatTakeTheWayAreComparedAtTheirTime) {
    GassParams params;
    params.candidates = 4;
    params.select_time = 0.82;
    EXPECT_FALSE(Gass(params, setup_for(4)).choice_step(even_schedule()));  // they look ahead instead
    params.scout_steps = 0;
    EXPECT_EQ(Gass(params, setup_for(4)).choice_step(even_schedule()), 4U);
    params.select_time = 0;  // a schedule may end before the time has come
    EXPECT_EQ(Gass(params, setup_for(4)).choice_step(even_schedule()), 20U);
    EXPECT_FALSE(Gass(params, setup_for(1)).choice_step(even_schedule()));
    params.candidates = 1;
    EXPECT_FALSE(Gass(params, setup_for(4)).choice_step(even_schedule()));
}

TEST(Gass, WeakensThePromptAboveTheIntervalAlone) {
    GassParams params;
    params.weaken = 0.75;
    params.interval = 0.95;
    MethodSetup setup = setup_for(2);
    setup.empty = {at::zeros({1, 3, 2}), at::zeros({1, 2})};
    const Condition prompt{at::ones({2, 3, 2}), at::ones({2, 2})};
    const auto seeds = seeds_from_100(2);
    const Condition weak = Gass(params, setup).condition(prompt, at_time(0.99, seeds));
    EXPECT_TRUE(at::allclose(weak.sequence, at::full({2, 3, 2}, 0.25)));
    EXPECT_TRUE(at::allclose(weak.pooled, at::full({2, 2}, 0.25)));
    EXPECT_TRUE(Gass(params, setup).condition(prompt, at_time(0.9, seeds)).sequence.equal(prompt.sequence));
    GroupStep last = at_time(0.99, seeds);
    last.count = last.index + 1;  // a model of one step has nothing to win the prompt back with
    EXPECT_TRUE(Gass(params, setup).condition(prompt, last).sequence.equal(prompt.sequence));
}

TEST(Gass, MatchDrawsTheChoiceTowardsThePrompt) {
    const at::Tensor clean = test::some_latents(32, 11);
    const auto seeds = seeds_from_100(32);
    const at::Tensor alignment =
        kVision.embed(kVision.decode(at::avg_pool2d(clean, 2))).mv(kVision.embed_text(""));
    const auto chosen = [&](double match) {
        GassParams params;
        params.drop = 0;
        params.match = match;
        Gass method(params, setup_for(4));
        const at::Tensor kept = method.select(clean, at_time(0.5, seeds)).value();
        return alignment.index_select(0, kept).mean().item<double>();
    };
    EXPECT_GT(chosen(0.5), chosen(0));
    EXPECT_GT(chosen(2), chosen(0.5));
}

TEST(Gass, KeepsAwayFromGivenPictures) {
    const at::Tensor clean = test::some_latents(8, 12);
    const auto seeds = seeds_from_100(8);
    GassParams params;
    params.candidates = 2;
    params.drop = 0;
    MethodSetup setup = setup_for(4);
    const at::Tensor alone = Gass(params, setup).select(clean, at_time(0.5, seeds)).value();
    setup.shield = clean.index_select(0, alone);  // what would have been chosen is there already
    const at::Tensor beside = Gass(params, setup).select(clean, at_time(0.5, seeds)).value();
    EXPECT_FALSE(at::isin(beside, alone).any().item<bool>());
    EXPECT_TRUE(params.traits().keeps_away);
    params.candidates = 1;
    EXPECT_FALSE(params.traits().keeps_away);  // nothing is chosen
}

TEST(Gass, SelectsTheWantedNumberFromTheBetterAligned) {
    GassParams params;
    params.drop = 0.5;
    Gass method(params, setup_for(4));
    const at::Tensor clean = test::some_latents(16, 7);
    const auto seeds = seeds_from_100(16);
    EXPECT_FALSE(method.select(clean, at_time(0.9, seeds)).has_value());  // too early
    const at::Tensor kept = method.select(clean, at_time(0.5, seeds)).value();
    ASSERT_EQ(kept.numel(), 4);
    EXPECT_TRUE((kept.slice(0, 1) > kept.slice(0, 0, 3)).all().item<bool>());
    const at::Tensor alignment =
        kVision.embed(kVision.decode(at::avg_pool2d(clean, 2))).mv(kVision.embed_text(""));
    EXPECT_GE(alignment.index_select(0, kept).min().item<double>(),
              std::get<0>(alignment.sort())[8].item<double>() - 1e-6);
    const auto step = std::get<Selection>(method.report().value().at(0));
    ASSERT_EQ(step.candidates.size(), 16U);
    for (std::size_t i = 0; i < 16; ++i) {
        EXPECT_EQ(step.candidates[i].seed, seeds[i]);
        EXPECT_NE(is_kept(step.candidates[i].fate), !reason_of(step.candidates[i]).empty());
    }
    EXPECT_EQ(count_kept(step), 4U);
    EXPECT_EQ(count_of(step, CandidateFate::less_matching), 8U);
    EXPECT_EQ(count_of(step, CandidateFate::less_volume), 4U);
    EXPECT_FALSE(method.select(clean.narrow(0, 0, 4), at_time(0.5, seeds)).has_value());  // nothing to choose
}

double variance_across(const at::Tensor& latents) {
    return sphere::principal_axes(kVision.embed(kVision.decode(at::avg_pool2d(latents, 2))),
                                  kVision.embed_text(""), 100)
        .energies.sum()
        .item<double>();
}

TEST(Gass, PushSpreadsTheGroupWithinTheTrustRegion) {
    const at::Tensor clean =
        test::some_latents(1, 8) + 0.3 * test::some_latents(8, 9);  // alike, as a prompt's
    const auto seeds = seeds_from_100(8);
    for (const char* targets : {"ladder", "amplify"}) {
        GassParams params;
        params.push = true;
        params.push_until = 0.75;
        params.targets = targets;
        params.trust = 0.05;
        Gass method(params, setup_for(8));
        const at::Tensor steered = method.steer(clean, at_time(0.9, seeds));
        EXPECT_GT(variance_across(steered), variance_across(clean)) << targets;
        const at::Tensor moves = (steered - clean).flatten(1).norm(2, 1) / clean.flatten(1).norm(2, 1);
        EXPECT_LE(moves.max().item<double>(), 0.0501);
        EXPECT_TRUE(method.steer(clean, at_time(0.5, seeds)).is_same(clean));  // over
    }
}

TEST(Gass, GroupsWithoutDifferenceStay) {
    const auto seeds = seeds_from_100(4);
    GassParams params;
    params.push = true;
    Gass method(params, setup_for(4));
    const at::Tensor one = test::some_latents(1, 5);
    EXPECT_TRUE(method.steer(one, at_time(0.9, seeds)).is_same(one));
    const at::Tensor equal = one.expand({4, -1, -1, -1}).contiguous();
    EXPECT_TRUE(at::allclose(method.steer(equal, at_time(0.9, seeds)), equal));
    EXPECT_TRUE(at::isfinite(method.steer(test::some_latents(2, 6), at_time(0.9, seeds))).all().item<bool>());
}

TEST(Gass, SaysWhyAnImageDidNotMove) {
    GassParams params;
    params.push = true;
    const auto seeds = seeds_from_100(4);
    Gass method(params, setup_for(4));
    const at::Tensor equal = test::some_latents(1, 5).expand({4, -1, -1, -1}).contiguous();
    method.steer(equal, at_time(0.9, seeds));
    const std::vector<Unmoved> unmoved = std::get<Push>(method.report().value().at(0)).unmoved;
    ASSERT_EQ(unmoved.size(), 4U);
    EXPECT_EQ(unmoved[3].image, 3U);
    EXPECT_EQ(unmoved[0].reason, "the images of the group are the same");
}

TEST(Gass, GoesOnWhereAnEmbeddingIsNotFinite) {
    const test::BrokenVision broken(test::BrokenVision::Defect::embedding_not_finite);
    MethodSetup setup = setup_for(4);
    setup.vision = &broken;
    GassParams params;
    params.push = true;
    params.candidates = 2;
    const auto seeds = seeds_from_100(8);
    Gass method(params, setup);
    // Pooling halves the sides, so the whole first 2×2 must be red.
    at::Tensor clean = test::some_latents(8, 3);
    clean[5][0].slice(0, 0, 2).slice(1, 0, 2).fill_(20.0F);
    const at::Tensor kept = method.select(clean, at_time(0.5, seeds)).value();
    EXPECT_EQ(kept.numel(), 4);
    EXPECT_FALSE((kept == 5).any().item<bool>());
    EXPECT_EQ(std::get<Selection>(method.report().value().at(0)).candidates[5].fate, CandidateFate::not_seen);
    const at::Tensor group = clean.narrow(0, 3, 4);  // the broken one is among them
    EXPECT_TRUE(method.steer(group, at_time(0.9, seeds)).is_same(group));
    EXPECT_EQ(std::get<Push>(method.report().value().at(1)).skipped, "an embedding is not finite");
}

TEST(Gass, TakesWhatItCannotSeeWhereThereAreNotEnoughOthers) {
    const test::BrokenVision broken(test::BrokenVision::Defect::embedding_not_finite);
    MethodSetup setup = setup_for(4);
    setup.vision = &broken;
    GassParams params;
    params.candidates = 2;
    const auto seeds = seeds_from_100(8);
    Gass method(params, setup);
    at::Tensor clean = test::some_latents(8, 3);
    clean.narrow(0, 0, 6).select(1, 0).slice(1, 0, 2).slice(2, 0, 2).fill_(20.0F);
    EXPECT_EQ(method.select(clean, at_time(0.5, seeds)).value().numel(), 4);
    const auto step = std::get<Selection>(method.report().value().at(0));
    EXPECT_EQ(count_kept(step), 4U);
    EXPECT_EQ(count_of(step, CandidateFate::kept_not_seen), 2U);
    EXPECT_EQ(count_of(step, CandidateFate::not_seen), 4U);
    EXPECT_FALSE(step.candidates[0].along);
    EXPECT_TRUE(step.candidates[7].along);
}

TEST(Gass, NamedAxesMoveTheConditionsEvenly) {
    MethodSetup setup = setup_for(5);
    setup.axes.push_back({.from = "a",
                          .to = "b",
                          .direction = {},
                          .half_difference = {.sequence = at::ones({1, 3, 2}), .pooled = at::ones({1, 4})}});
    Gass method({}, setup);
    const auto seeds = seeds_from_100(5);
    method.start(test::some_latents(5, 1), seeds);
    const Condition plain{.sequence = at::zeros({5, 3, 2}), .pooled = at::zeros({5, 4})};
    const Condition moved = method.condition(plain, at_time(1.0, seeds));
    EXPECT_TRUE(at::allclose(std::get<0>(moved.pooled.select(1, 0).sort()), at::linspace(-1, 1, 5)));
    EXPECT_TRUE(at::equal(moved.sequence.select(1, 2).select(1, 1), moved.pooled.select(1, 3)));
}

TEST(Gass, TellsWhereImagesLieOnNamedAxes) {
    MethodSetup setup = setup_for(4);
    EXPECT_THAT(Gass({}, setup).places(), IsEmpty());
    GassParams params;
    params.candidates = 2;
    const Condition step{.sequence = at::ones({1, 3, 2}), .pooled = at::ones({1, 4})};
    setup.axes.push_back({.from = "a", .to = "b", .direction = {}, .half_difference = step});
    setup.axes.push_back({.from = "c", .to = "d", .direction = at::eye(32)[3], .half_difference = step});
    const auto seeds = seeds_from_100(8);
    Gass method(params, setup);
    method.start(test::some_latents(8, 1), seeds);
    ASSERT_TRUE(method.select(test::some_latents(8, 1), at_time(0.5, seeds)));
    const std::vector<at::Tensor> places = method.places();
    ASSERT_EQ(places.size(), 2U);
    const Condition plain{.sequence = at::zeros({4, 3, 2}), .pooled = at::zeros({4, 4})};
    const at::Tensor moved = method.condition(plain, at_time(0.5, seeds)).pooled.select(1, 0);
    EXPECT_TRUE(at::allclose(moved, (places[0] + places[1]).to(at::kFloat)));
    for (const at::Tensor& own : places)
        EXPECT_TRUE(at::allclose(std::get<0>(own.sort()), at::linspace(-1, 1, 4, at::kDouble)));
}

TEST(Gass, WithoutKnobsItIsPlainGuidance) {
    Gass method({}, setup_for(4));
    const auto seeds = seeds_from_100(4);
    const at::Tensor latents = test::some_latents(4, 2);
    EXPECT_TRUE(method.start(latents, seeds).is_same(latents));
    EXPECT_TRUE(method.steer(latents, at_time(0.99, seeds)).is_same(latents));
    EXPECT_EQ(method.guidance(4.0, at_time(1.0, seeds)), 4.0);
    EXPECT_EQ(GassParams().traits().candidates, 1);
    EXPECT_FALSE(GassParams().traits().looks);
}

}  // namespace
}  // namespace gass
