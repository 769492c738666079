#include "diffusion/schedule.h"

#include "diffusion/scheduler_config.h"
#include "support/expect_error.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>

namespace gass {
namespace {

Schedule schedule_of(const Json& json, std::int64_t steps,
                     std::optional<SamplingMethod> method = std::nullopt) {
    return make_schedule(SchedulerConfig::from_json(json, "test", method), steps, 1024);
}

Json stable_diffusion(const char* class_name) {
    return {{"_class_name", class_name},
            {"beta_start", 0.00085},
            {"beta_end", 0.012},
            {"beta_schedule", "scaled_linear"},
            {"skip_prk_steps", true}};
}

TEST(Schedule, StableDiffusion3TakesItsPublishedLevels) {
    constexpr std::array kSigmas{1.0000, .9874, .9741, .9601, .9454, .9298, .9133, .8959, .8774, .8577,
                                 .8367,  .8143, .7904, .7647, .7371, .7073, .6751, .6402, .6022, .5606,
                                 .5151,  .4649, .4093, .3474, .2780, .1998, .1109, .0089, 0.0};
    const Json json{{"_class_name", "FlowMatchEulerDiscreteScheduler"}, {"shift", 3.0}};
    const Schedule schedule = schedule_of(json, 28);
    ASSERT_EQ(schedule.steps.size(), 28U);
    for (std::size_t i = 0; i < 28; ++i) {
        const Step& step = schedule.steps[i];
        EXPECT_NEAR(step.from.noise, kSigmas[i], 1e-4);
        EXPECT_NEAR(step.to.noise, kSigmas[i + 1], 1e-4);
        EXPECT_NEAR(step.timestep, step.from.noise * 1000, 1e-3);
        EXPECT_DOUBLE_EQ(step.from.signal + step.from.noise, 1.0);
    }
}

TEST(Schedule, DdimEndsAtTimestepOneWhateverTheFilesOffset) {
    Json json = stable_diffusion("DDIMScheduler");
    json["steps_offset"] = 0;
    json["clip_sample"] = true;
    const Schedule schedule = schedule_of(json, 50);
    ASSERT_EQ(schedule.steps.size(), 50U);
    for (std::size_t i = 0; i < 50; ++i)
        EXPECT_EQ(schedule.steps[i].timestep, 981.0 - 20.0 * static_cast<double>(i));
}

TEST(Schedule, PlmsLooksTwiceAtItsSecondTimestep) {
    const Schedule schedule = schedule_of(stable_diffusion("PNDMScheduler"), 50);
    ASSERT_EQ(schedule.steps.size(), 51U);
    EXPECT_EQ(schedule.steps[0].timestep, 981);
    EXPECT_EQ(schedule.steps[1].timestep, 961);
    EXPECT_EQ(schedule.steps[2].timestep, 961);
    EXPECT_EQ(schedule.steps[1].from.noise, schedule.steps[0].to.noise);
    EXPECT_EQ(schedule.steps[1].to.noise, schedule.steps[1].from.noise);
    ASSERT_TRUE(schedule.plms_restart);
    EXPECT_EQ(schedule.plms_restart->noise, schedule.steps[0].from.noise);
    EXPECT_EQ(schedule_of(stable_diffusion("PNDMScheduler"), 1).steps.size(), 1U);
}

TEST(Schedule, TrailingTimestepsAreAsManyAsWereAskedFor) {
    Json json = stable_diffusion("DDIMScheduler");
    json["timestep_spacing"] = "trailing";
    for (const std::int64_t steps : {61, 103, 500, 1000}) {  // numpy.arange makes one more of some of these
        const Schedule schedule = schedule_of(json, steps);
        EXPECT_EQ(static_cast<std::int64_t>(schedule.steps.size()), steps);
        EXPECT_EQ(schedule.steps.front().timestep, 999);
        EXPECT_GE(schedule.steps.back().timestep, 0);
    }
}

RC_GTEST_PROP(Schedule, NoiseFallsInEveryStep, ()) {
    const auto steps = *rc::gen::inRange<std::int64_t>(1, 900);
    std::vector<SamplingMethod> methods = sampling_methods();
    std::erase_if(methods, is_for_flows);
    const SamplingMethod method = *rc::gen::elementOf(methods);
    Json json = stable_diffusion("DDIMScheduler");
    json["timestep_spacing"] = *rc::gen::element<std::string>("leading", "linspace", "trailing");
    const Schedule schedule = schedule_of(json, steps, method);
    const auto share = [](NoiseLevel level) { return level.noise / (level.signal + level.noise); };
    for (const Step& step : schedule.steps) {
        RC_ASSERT(share(step.to) <= share(step.from));
        RC_ASSERT(step.timestep >= 0);
        RC_ASSERT(step.timestep <= 1000);
    }
}

RC_GTEST_PROP(Schedule, FromTheMiddleIsItsLastSteps, ()) {
    const auto steps = *rc::gen::inRange<std::int64_t>(1, 60);
    const double share = *rc::gen::inRange(1, 1001) / 1000.0;
    const auto method =
        *rc::gen::element(SamplingMethod::ddim, SamplingMethod::euler, SamplingMethod::dpmpp_2m);
    const Schedule whole = schedule_of(stable_diffusion("DDIMScheduler"), steps, method);
    const Schedule part = from_the_middle(whole, share);
    const std::size_t kept = part.steps.size();
    RC_ASSERT(kept >= 1U);
    RC_ASSERT(kept == 1U || static_cast<double>(kept) <= share * static_cast<double>(steps) + 1e-6);
    RC_ASSERT(static_cast<double>(kept) > share * static_cast<double>(steps) - 1);
    const std::size_t skipped = whole.steps.size() - kept;
    for (std::size_t i = 0; i < kept; ++i) {
        const Step& a = part.steps[i];
        const Step& b = whole.steps[skipped + i];
        RC_ASSERT(a.timestep == b.timestep && a.input_scale == b.input_scale);
        RC_ASSERT(a.from.signal == b.from.signal && a.from.noise == b.from.noise);
        RC_ASSERT(a.to.signal == b.to.signal && a.to.noise == b.to.noise);
    }
    RC_ASSERT(part.first_order_steps.size() == (whole.first_order_steps.empty() ? 0U : kept));
    for (std::size_t i = 0; i < part.first_order_steps.size(); ++i)
        RC_ASSERT(part.first_order_steps[i] == whole.first_order_steps[skipped + i]);
}

RC_GTEST_PROP(Schedule, ACoarseStartLeadsToTheSameFineSteps, ()) {
    const auto steps = *rc::gen::inRange<std::int64_t>(2, 60);
    const auto first_fine = static_cast<std::size_t>(*rc::gen::inRange<std::int64_t>(0, steps));
    const auto count = *rc::gen::inRange<std::size_t>(1, 8);
    const auto method =
        *rc::gen::element(SamplingMethod::ddim, SamplingMethod::euler, SamplingMethod::dpmpp_2m);
    const Schedule usual = schedule_of(stable_diffusion("DDIMScheduler"), steps, method);
    const Schedule coarse = with_coarse_start(usual, first_fine, count);
    const std::size_t early = std::min(first_fine, count);
    RC_ASSERT(coarse.steps.size() == usual.steps.size() - first_fine + early);
    RC_ASSERT(coarse.first_order_steps.size() == (usual.first_order_steps.empty() ? 0 : coarse.steps.size()));
    const auto same = [](NoiseLevel a, NoiseLevel b) { return a.signal == b.signal && a.noise == b.noise; };
    RC_ASSERT(same(coarse.steps.front().from, usual.steps.front().from));
    for (std::size_t i = 0; i + 1 < coarse.steps.size(); ++i)
        RC_ASSERT(same(coarse.steps[i].to, coarse.steps[i + 1].from));
    for (std::size_t i = 0; first_fine + i < usual.steps.size(); ++i) {
        const Step& a = coarse.steps[early + i];
        const Step& b = usual.steps[first_fine + i];
        RC_ASSERT(a.timestep == b.timestep && same(a.from, b.from) && same(a.to, b.to));
    }
}

TEST(Schedule, ACoarseStartIsEvenInTime) {
    const Schedule usual =
        schedule_of({{"_class_name", "FlowMatchEulerDiscreteScheduler"}, {"shift", 1.0}}, 20);
    const Schedule coarse = with_coarse_start(usual, 8, 2);
    EXPECT_EQ(coarse.steps[0].timestep, usual.steps[0].timestep);
    EXPECT_EQ(coarse.steps[1].timestep, usual.steps[4].timestep);
    EXPECT_EQ(coarse.steps[2].timestep, usual.steps[8].timestep);
}

TEST(Schedule, FromTheMiddleTakesAsManyStepsAsTheShareHasWhole) {
    const Json json{{"_class_name", "FlowMatchEulerDiscreteScheduler"}, {"shift", 3.0}};
    const auto kept = [&](std::int64_t steps, double share) {
        return from_the_middle(schedule_of(json, steps), share).steps.size();
    };
    EXPECT_EQ(kept(10, 0.3), 3U);  // which is a little less than 3 in floating point
    EXPECT_EQ(kept(28, 0.6), 16U);
    EXPECT_EQ(kept(4, 0.6), 2U);
    EXPECT_EQ(kept(4, 0.01), 1U);
    EXPECT_EQ(kept(4, 1.0), 4U);
    test::expect_error(ErrorCode::usage, "[`sampling_method`] plms cannot begin with a picture",
                       [] { from_the_middle(schedule_of(stable_diffusion("PNDMScheduler"), 10), 0.5); });
}

TEST(Schedule, RefusesStepsThatTheSchedulerCannotTake) {
    for (const char* class_name : {"DDIMScheduler", "EulerDiscreteScheduler", "DPMSolverMultistepScheduler",
                                   "PNDMScheduler", "FlowMatchEulerDiscreteScheduler"}) {
        test::expect_error(ErrorCode::usage, "[`steps`]",
                           [&] { schedule_of(stable_diffusion(class_name), 1001); });
    }
    test::expect_error(ErrorCode::usage, "at most 999",
                       [&] { schedule_of(stable_diffusion("DDIMScheduler"), 1000); });
    Json leading = stable_diffusion("DPMSolverMultistepScheduler");
    leading["timestep_spacing"] = "leading";
    test::expect_error(ErrorCode::usage, "below 1000", [&] { schedule_of(leading, 1000); });
    const Json terminal{{"_class_name", "FlowMatchEulerDiscreteScheduler"}, {"shift_terminal", 0.1}};
    test::expect_error(ErrorCode::usage, "shift_terminal", [&] { schedule_of(terminal, 1); });
}

TEST(Schedule, RefusesLevelsThatCannotBeSampledWith) {
    Json json = stable_diffusion("DDIMScheduler");
    json["rescale_betas_zero_snr"] = true;
    json["timestep_spacing"] = "trailing";
    test::expect_error(ErrorCode::model_invalid, "rescale_betas_zero_snr", [&] { schedule_of(json, 10); });
    const Json flow{{"_class_name", "FlowMatchEulerDiscreteScheduler"},
                    {"use_dynamic_shifting", true},
                    {"time_shift_type", "linear"},
                    {"base_shift", -20},
                    {"max_shift", -19}};
    test::expect_error(ErrorCode::model_invalid, "noise levels", [&] { schedule_of(flow, 10); });
    Json clipped = stable_diffusion("DPMSolverMultistepScheduler");
    clipped["lambda_min_clipped"] = 100;
    test::expect_error(ErrorCode::model_invalid, "lambda_min_clipped", [&] { schedule_of(clipped, 10); });
}

}  // namespace
}  // namespace gass
