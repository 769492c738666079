#include "diffusion/solver.h"

#include "diffusion/scheduler_config.h"
#include "support/parity_case.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <functional>

namespace gass {
namespace {

at::Tensor random_group(std::int64_t images) {
    auto generator = at::make_generator<at::CPUGeneratorImpl>(7);
    return at::randn({images, 4, 4, 4}, generator, at::kDouble);
}

at::Tensor fake_network(const at::Tensor& x, const Step& step) {
    return at::tanh(0.3 * x * step.input_scale + 0.0005 * step.timestep);
}

struct Group {
    at::Tensor x;
    DenoisedEstimate estimate;
};

/// Runs a group to the end; `before_advance` may change it at any step.
at::Tensor run(const Schedule& schedule, const at::Tensor& noise,
               const std::function<void(std::size_t, Group&, Solver&)>& before_advance = {}) {
    const auto solver = make_solver(schedule);
    Group group{.x = noise * schedule.initial_scale, .estimate = {}};
    for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
        const Step& step = schedule.steps[i];
        group.estimate = split(schedule.prediction, fake_network(group.x, step), group.x, step.from);
        if (before_advance) before_advance(i, group, *solver);
        group.x = solver->advance(i, group.x, group.estimate);
    }
    return group.x;
}

/// One schedule of every kind of solver, prediction and coordinates.
std::vector<Schedule> schedules() {
    std::vector<Schedule> all;
    for (const char* prediction : {"epsilon", "v_prediction"}) {
        const Json json{{"_class_name", "DDIMScheduler"},
                        {"beta_schedule", "scaled_linear"},
                        {"prediction_type", prediction}};
        for (const SamplingMethod method : sampling_methods()) {
            if (is_for_flows(method)) continue;
            all.push_back(make_schedule(SchedulerConfig::from_json(json, "test", method), 8, 0));
        }
        Json heun = json;
        heun["solver_type"] = "heun";
        all.push_back(
            make_schedule(SchedulerConfig::from_json(heun, "test", SamplingMethod::dpmpp_2m), 8, 0));
    }
    const Json flow{{"_class_name", "FlowMatchEulerDiscreteScheduler"}, {"shift", 3.0}};
    for (const SamplingMethod method : sampling_methods()) {
        if (is_for_flows(method))
            all.push_back(make_schedule(SchedulerConfig::from_json(flow, "test", method), 8, 0));
    }
    return all;
}

TEST(Solver, AnEstimateMadeAnewFromItsImageChangesNothing) {
    for (const Schedule& schedule : schedules()) {
        const at::Tensor plain = run(schedule, random_group(3));
        const at::Tensor steered = run(schedule, random_group(3), [&](std::size_t i, Group& group, Solver&) {
            group.estimate.noise = noise_in(group.x, group.estimate.clean, schedule.steps[i].from);
        });
        EXPECT_LT(test::relative_error(steered, plain), 1e-9);
    }
}

TEST(Solver, ImagesThatGoOnDoNotNoticeTheOthers) {
    const at::Tensor kept = at::tensor({4, 1}, at::kLong);
    for (const Schedule& schedule : schedules()) {
        const at::Tensor alone = run(schedule, random_group(5).index_select(0, kept));
        for (std::size_t when = 0; when < schedule.steps.size(); ++when) {
            SCOPED_TRACE(when);
            const at::Tensor selected =
                run(schedule, random_group(5), [&](std::size_t i, Group& group, Solver& solver) {
                    if (i != when) return;
                    group = {group.x.index_select(0, kept),
                             {group.estimate.clean.index_select(0, kept),
                              group.estimate.noise.index_select(0, kept)}};
                    solver.keep(kept);
                });
            EXPECT_LT(test::relative_error(selected, alone), 1e-12);
        }
    }
}

TEST(Solver, ANetworkThatKnowsTheImageEndsThere) {
    const at::Tensor image = random_group(2);
    for (const Schedule& schedule : schedules()) {
        if (schedule.steps.back().to.noise != 0.0) continue;  // PLMS stops at timestep 0
        const at::Tensor end = run(schedule, at::ones_like(image), [&](std::size_t i, Group& group, Solver&) {
            group.estimate = {image, noise_in(group.x, image, schedule.steps[i].from)};
        });
        EXPECT_LT(test::relative_error(end, image), 1e-12);
    }
}

TEST(Solver, DpmSolverSurvivesLevelsThatRepeat) {
    for (const char* solver : {"midpoint", "heun"}) {
        const Json json{{"_class_name", "DPMSolverMultistepScheduler"},
                        {"beta_schedule", "scaled_linear"},
                        {"final_sigmas_type", "sigma_min"},
                        {"solver_type", solver}};
        for (const bool karras : {false, true}) {
            const auto config = SchedulerConfig::from_json(json, "test", std::nullopt, karras);
            EXPECT_TRUE(run(make_schedule(config, 1000, 0), random_group(1)).isfinite().all().item<bool>());
        }
    }
}

}  // namespace
}  // namespace gass
