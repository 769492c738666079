#include "guidance/gass_paper.h"

#include "diffusion/sampler.h"
#include "diffusion/scheduler_config.h"
#include "guidance/fake_vision.h"
#include "record/method_step_json.h"

#include <gmock/gmock.h>

#include <numeric>

namespace gass {
namespace {

using test::BrokenVision;
using test::FakeVision;
using ::testing::ElementsAre;

MethodSetup setup_for(const Vision& vision, std::int64_t images, std::int64_t chunk = 3) {
    return {.images = images,
            .chunk = chunk,
            .family = Family::flow,
            .vision = &vision,
            .prompt = vision.embed_text(""),
            .texts = {},
            .axes = {},
            .shield = {}};
}

std::vector<std::uint64_t> seeds_for(std::int64_t images, std::uint64_t first = 0) {
    std::vector<std::uint64_t> seeds(static_cast<std::size_t>(images));
    std::iota(seeds.begin(), seeds.end(), first);
    return seeds;
}

/// Shifts that show.
GassPaperParams strong() {
    GassPaperParams params;
    params.r_dep = params.r_ind = 0.5;
    params.lr = 1e-2;
    params.iterations = 10;
    return params;
}

/// One step of a group with these clean latents.
at::Tensor steered(GassPaper& method, const at::Tensor& clean, std::uint64_t first_seed = 0) {
    const std::vector<std::uint64_t> seeds = seeds_for(clean.size(0), first_seed);
    return method.steer(clean,
                        {.index = 0, .count = 1, .step = {}, .time = 0.5, .seeds = &seeds, .x = nullptr});
}

std::vector<Expansion> steps_of(const GassPaper& method) {
    const std::vector<MethodStep> report = method.report().value();
    std::vector<Expansion> steps;
    for (const MethodStep& step : report) steps.push_back(std::get<Expansion>(step));
    return steps;
}

std::vector<std::size_t> active(const GassPaperParams& params, std::size_t count) {
    std::vector<std::size_t> steps;
    for (std::size_t i = 0; i < count; ++i) {
        if (GassPaper::is_active(params, i, count)) steps.push_back(i);
    }
    return steps;
}

TEST(GassPaper, StepsThatExpand) {
    GassPaperParams params;
    EXPECT_EQ(active(params, 28).size(), 20U);
    EXPECT_EQ(active(params, 28).front(), 0U);
    EXPECT_EQ(active(params, 10).size(), 10U);  // no more than there are
    params.steps = 4;
    EXPECT_THAT(active(params, 10), ElementsAre(0, 2, 5, 7));
    params.schedule = "consecutive";
    EXPECT_THAT(active(params, 10), ElementsAre(0, 1, 2, 3));
    params.steps = 0;
    EXPECT_TRUE(active(params, 10).empty());
    for (std::size_t count = 1; count < 60; ++count) {
        for (std::int64_t wanted = 1; wanted < 60; ++wanted) {
            GassPaperParams uniform;
            uniform.steps = wanted;
            ASSERT_EQ(active(uniform, count).size(), std::min(count, static_cast<std::size_t>(wanted)));
        }
    }
}

/// The flow of a smooth field.
class Field final : public Denoiser {
  public:
    at::Tensor predict(const at::Tensor& x, double, const Condition&) const override { return at::tanh(x); }
};

at::Tensor sampled(Method& method, std::int64_t images) {
    const Json json = {{"_class_name", "FlowMatchEulerDiscreteScheduler"}, {"shift", 3.0}};
    const Schedule schedule = make_schedule(SchedulerConfig::from_json(json, "test"), 6, 16);
    SamplerInput input;
    input.noise = test::some_latents(images, 11);
    input.seeds = seeds_for(images);
    input.condition.sequence = at::zeros({images, 1, 1});
    return sample(Field(), schedule, method, std::move(input),
                  {.cfg_scale = 1, .chunk = 8, .after_step = {}, .should_stop = {}})
        .latents;
}

TEST(GassPaper, RangeZeroIsNoMethodToTheLastBit) {
    const FakeVision vision;
    Method none;
    for (const char* optimiser : {"adam", "gradient"}) {
        GassPaperParams params;
        params.r_dep = params.r_ind = 0;
        params.optimiser = optimiser;
        GassPaper method(params, setup_for(vision, 4));
        EXPECT_TRUE(at::equal(sampled(method, 4), sampled(none, 4))) << optimiser;
        const at::Tensor clean = test::some_latents(4, 1);
        EXPECT_TRUE(steered(method, clean).is_same(clean));
        EXPECT_TRUE(method.report().value().empty());
    }
}

TEST(GassPaper, RangeZeroEncodedPlainlyIsTheRoundTrip) {
    const FakeVision vision;
    GassPaperParams params;
    params.r_dep = params.r_ind = 0;
    params.reencode = "plain";
    GassPaper method(params, setup_for(vision, 4));
    const at::Tensor clean = test::some_latents(4, 1);
    EXPECT_TRUE(at::allclose(steered(method, clean), vision.encode(vision.decode(clean)), 1e-5, 1e-6));
    ASSERT_EQ(steps_of(method).size(), 1U);
    const Expansion step = steps_of(method).front();
    EXPECT_FALSE(step.shifts);
    EXPECT_FALSE(step.unmoved);
    EXPECT_EQ(step.latent_moves.size(), 4U);
}

TEST(GassPaper, EveryAblationRunsAndReports) {
    const FakeVision vision;
    Method none;
    const at::Tensor plain = sampled(none, 4);
    for (const char* basis : {"gass", "ip", "rd"}) {
        for (const char* optimiser : {"adam", "gradient"}) {
            for (const char* reencode : {"difference", "plain"}) {
                GassPaperParams params = strong();
                params.basis = basis;
                params.optimiser = optimiser;
                params.renormalise = params.basis != "ip";
                params.reencode = reencode;
                params.steps = 3;
                GassPaper method(params, setup_for(vision, 4));
                const at::Tensor result = sampled(method, 4);
                EXPECT_TRUE(at::isfinite(result).all().item<bool>());
                EXPECT_FALSE(at::equal(result, plain));
                ASSERT_EQ(steps_of(method).size(), 3U);
            }
        }
    }
}

TEST(GassPaper, MovesImagesTowardsTheirTargets) {
    const FakeVision vision;
    GassPaper method(strong(), setup_for(vision, 4));
    steered(method, test::some_latents(4, 1));
    const Expansion step = steps_of(method).at(0);
    EXPECT_EQ(step.step, 0U);
    EXPECT_TRUE(step.unmoved.value().empty());
    const Expansion::Shifts& shifts = step.shifts.value();
    EXPECT_GT(shifts.iterations, 0U);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_LT(shifts.loss_end.at(i).value(), shifts.loss_start.at(i).value());
        EXPECT_GT(step.latent_moves.at(i).value(), 0.0);
        for (const Expansion::Projections* axis : {&shifts.dependent, &shifts.independent}) {
            for (const Numbers* when : {&axis->before, &axis->target, &axis->after})
                EXPECT_LE(std::abs(when->at(i).value()), 1.0);
        }
    }
}

TEST(GassPaper, ChunksAndRunsGiveTheSame) {
    const FakeVision vision;
    const at::Tensor clean = test::some_latents(5, 1);
    const auto result = [&](std::int64_t chunk, std::uint64_t seed) {
        GassPaper method(strong(), setup_for(vision, 5, chunk));
        return steered(method, clean, seed);
    };
    EXPECT_TRUE(at::equal(result(5, 0), result(5, 0)));
    EXPECT_TRUE(at::allclose(result(2, 0), result(5, 0), 1e-3, 1e-4));
    EXPECT_FALSE(at::allclose(result(5, 7), result(5, 0), 1e-3, 1e-4));  // another first seed, other shifts
}

TEST(GassPaper, OneImageIsAGroupToo) {
    const FakeVision vision;
    GassPaper method(strong(), setup_for(vision, 1, 1));
    EXPECT_TRUE(at::isfinite(sampled(method, 1)).all().item<bool>());
}

TEST(GassPaper, EqualImagesPart) {
    const FakeVision vision;
    GassPaper method(strong(), setup_for(vision, 3));
    const at::Tensor result = steered(method, test::some_latents(1, 5).expand({3, -1, -1, -1}).contiguous());
    EXPECT_TRUE(at::isfinite(result).all().item<bool>());
    EXPECT_FALSE(at::allclose(result[0], result[1]));
}

TEST(GassPaper, AnImageThatCannotMoveStaysAndIsReported) {
    const std::pair<BrokenVision::Defect, const char*> defects[] = {
        {BrokenVision::Defect::embedding_not_finite, "its embedding was not finite"},
        {BrokenVision::Defect::gradient_not_finite, "its loss or gradient was not finite"},
        {BrokenVision::Defect::no_gradient, "the gradient vanished"}};
    const at::Tensor clean = BrokenVision::broken(test::some_latents(4, 1), 2);
    for (const auto& [defect, reason] : defects) {
        const BrokenVision vision(defect);
        for (const char* reencode : {"difference", "plain"}) {
            GassPaperParams params = strong();
            params.reencode = reencode;
            GassPaper method(params, setup_for(vision, 4));
            const at::Tensor result = steered(method, clean);
            EXPECT_TRUE(at::isfinite(result).all().item<bool>());
            EXPECT_TRUE(at::equal(result[2], clean[2]));
            EXPECT_FALSE(at::allclose(result[3], clean[3]));
            const Expansion step = steps_of(method).at(0);
            EXPECT_EQ(step.unmoved, (std::vector<Unmoved>{{2, reason}}));
            EXPECT_NO_THROW(to_json(step).dump());
        }
    }
}

TEST(GassPaper, AGroupThatCannotBeSeenStays) {
    const BrokenVision vision(BrokenVision::Defect::embedding_not_finite);
    at::Tensor clean = test::some_latents(2, 1);
    for (const std::int64_t i : {0, 1}) clean = BrokenVision::broken(clean, i);
    GassPaper method(strong(), setup_for(vision, 2));
    EXPECT_TRUE(steered(method, clean).is_same(clean));
    EXPECT_EQ(steps_of(method).at(0).unmoved.value().size(), 2U);
    EXPECT_FALSE(steps_of(method).at(0).shifts);
}

TEST(GassPaper, SaysWhenTheShiftWasTheReason) {
    const BrokenVision vision(BrokenVision::Defect::no_gradient);
    GassPaperParams params;
    params.r_dep = params.r_ind = 1e-6;
    GassPaper method(params, setup_for(vision, 1));
    steered(method, BrokenVision::broken(test::some_latents(1, 1), 0));
    EXPECT_EQ(steps_of(method).at(0).unmoved.value().at(0).reason, "the drawn shift was almost zero");
}

}  // namespace
}  // namespace gass
