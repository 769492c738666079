#include "diffusion/scheduler_config.h"

#include "core/settings.h"
#include "core/text.h"
#include "support/expect_error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace gass {
namespace {

constexpr auto kDiffusionClasses = {"DDIMScheduler", "EulerDiscreteScheduler", "DPMSolverMultistepScheduler",
                                    "PNDMScheduler"};

Json of_class(const char* class_name) {
    return {{"_class_name", class_name}, {"skip_prk_steps", true}};
}

void expect_refused(Json config, const char* key, const Json& value) {
    const bool is_long = value.is_array() && value.size() > 10;
    SCOPED_TRACE(std::string(key) + " = " + (is_long ? "a long list" : value.dump()));
    config[key] = value;
    test::expect_error(ErrorCode::model_invalid, "[wrong]",
                       [&] { make_schedule(SchedulerConfig::from_json(config, "wrong"), 10, 1024); });
}

TEST(SchedulerConfig, RefusesHostileNoiseSchedules) {
    for (const char* class_name : kDiffusionClasses) {
        const Json config = of_class(class_name);
        for (const Json& count : {Json(1'000'000'000), Json(0), Json(-1), Json(1), Json(1e3), Json("1000")})
            expect_refused(config, "num_train_timesteps", count);
        for (const char* key : {"beta_start", "beta_end"}) {
            for (const double beta : {-0.1, 0.0, 1.0, 1e30, std::numeric_limits<double>::quiet_NaN()})
                expect_refused(config, key, beta);
        }
        expect_refused(config, "beta_end", 0.99);    // nothing of the image left
        expect_refused(config, "beta_start", 1e-9);  // 1 − β is 1 in fp32
        expect_refused(config, "beta_schedule", "sigmoid");
        expect_refused(config, "trained_betas", Json::array());
        expect_refused(config, "trained_betas", Json::array({0.1, 0.2}));
        expect_refused(config, "trained_betas", "0.1");
        expect_refused(config, "trained_betas", std::vector<std::string>(1000, "0.1"));
        expect_refused(config, "trained_betas", std::vector<double>(1000, -0.1));
    }
    expect_refused(of_class("DDIMScheduler"), "trained_betas", std::vector<double>(10'000'000, 0.1));
}

TEST(SchedulerConfig, RefusesWhatItDoesNotHave) {
    for (const char* class_name : kDiffusionClasses) {
        const Json config = of_class(class_name);
        expect_refused(config, "thresholding", true);
        expect_refused(config, "prediction_type", "flow_prediction");
        expect_refused(config, "timestep_spacing", "random");
    }
    expect_refused(of_class("PNDMScheduler"), "skip_prk_steps", false);
    expect_refused(of_class("PNDMScheduler"), "prediction_type", "sample");
    const Json euler = of_class("EulerDiscreteScheduler");
    expect_refused(euler, "use_beta_sigmas", true);
    expect_refused(euler, "timestep_type", "continuous");
    expect_refused(euler, "interpolation_type", "cubic");
    expect_refused(euler, "final_sigmas_type", "one");
    const Json dpm = of_class("DPMSolverMultistepScheduler");
    expect_refused(dpm, "algorithm_type", "sde-dpmsolver++");
    expect_refused(dpm, "algorithm_type", "dpmsolver");
    expect_refused(dpm, "solver_order", 3);
    expect_refused(dpm, "solver_type", "rk4");
    expect_refused(dpm, "use_lu_lambdas", true);
    expect_refused(dpm, "use_beta_sigmas", true);
    expect_refused(dpm, "use_flow_sigmas", true);
    expect_refused(dpm, "variance_type", "learned_range");
    Json both = dpm;
    both["use_karras_sigmas"] = true;
    expect_refused(both, "use_exponential_sigmas", true);
    expect_refused(euler, "sigma_min", -1);
    expect_refused(euler, "sigma_max", 1e300);
}

TEST(SchedulerConfig, RefusesHostileFlows) {
    const Json flow = of_class("FlowMatchEulerDiscreteScheduler");
    for (const double shift : {0.0, -1.0, 1e30, std::numeric_limits<double>::infinity()})
        expect_refused(flow, "shift", shift);
    expect_refused(flow, "invert_sigmas", true);
    expect_refused(flow, "stochastic_sampling", true);
    expect_refused(flow, "use_beta_sigmas", true);
    expect_refused(flow, "shift_terminal", 1.0);
    expect_refused(flow, "sigma_max", 1.5);
    expect_refused(flow, "num_train_timesteps", 1'000'000'000);
    Json dynamic = flow;
    dynamic["use_dynamic_shifting"] = true;
    expect_refused(dynamic, "max_image_seq_len", 256);
    expect_refused(dynamic, "max_shift", 1e9);
    expect_refused(dynamic, "time_shift_type", "cubic");
}

TEST(SchedulerConfig, NamesAClassThatItDoesNotHave) {
    test::expect_error(ErrorCode::model_invalid,
                       "\"LCMScheduler\" is not supported; `sampling_method` can choose ddim, euler",
                       [] { SchedulerConfig::from_json(of_class("LCMScheduler"), "wrong"); });
    test::expect_error(ErrorCode::model_invalid, "\"_class_name\" is missing",
                       [] { SchedulerConfig::from_json(Json::object(), "wrong"); });
    EXPECT_EQ(SchedulerConfig::from_json(of_class("LCMScheduler"), "right", SamplingMethod::ddim).method,
              SamplingMethod::ddim);
}

TEST(SchedulerConfig, TheSettingNamesThemAll) {
    std::vector<std::string_view> names;
    for (const SamplingMethod method : sampling_methods()) {
        const bool is_new = std::ranges::find(names, to_string(method)) == names.end();
        if (is_new) names.push_back(to_string(method));
        const std::optional<SamplingMethod> found = find_sampling_method(to_string(method));
        EXPECT_EQ(found == method, is_new) << to_string(method);
    }
    names.insert(names.begin(), "default");
    EXPECT_EQ(names, split(find_setting("sampling_method")->choices, '|'));
    EXPECT_EQ(find_sampling_method("default"), std::nullopt);
}

TEST(SchedulerConfig, ReadsEachByItsName) {
    for (const SamplingMethod method : sampling_methods()) {
        SCOPED_TRACE(to_string(method));
        const Json diffusion = of_class("LCMScheduler");
        const Json flow = of_class("FlowMatchLCMScheduler");
        const Json& json = is_for_flows(method) ? flow : diffusion;
        EXPECT_EQ(SchedulerConfig::from_json(json, "test", method).method, method);
    }
}

TEST(SchedulerConfig, KeepsFlowAndDiffusionApart) {
    const Json flow = of_class("FlowMatchEulerDiscreteScheduler");
    for (const auto method : {SamplingMethod::euler, SamplingMethod::flow_euler}) {
        EXPECT_EQ(SchedulerConfig::from_json(flow, "flow", method).method, SamplingMethod::flow_euler);
    }
    for (const auto method : {SamplingMethod::ddim, SamplingMethod::dpmpp_2m, SamplingMethod::plms}) {
        test::expect_error(ErrorCode::usage, "this rectified-flow model takes euler only",
                           [&] { SchedulerConfig::from_json(flow, "flow", method); });
    }
    test::expect_error(ErrorCode::usage, "[`sampling_method`]", [] {
        SchedulerConfig::from_json(of_class("DDIMScheduler"), "wrong", SamplingMethod::flow_euler);
    });
}

TEST(SchedulerConfig, TakesKarrasLevelsWhereThereAreSome) {
    for (const auto method : {SamplingMethod::ddim, SamplingMethod::plms}) {
        test::expect_error(ErrorCode::usage, "[`scheduler`] karras is for", [&] {
            SchedulerConfig::from_json(of_class("DDIMScheduler"), "wrong", method, true);
        });
    }
    Json exponential = of_class("EulerDiscreteScheduler");
    exponential["use_exponential_sigmas"] = true;
    EXPECT_EQ(SchedulerConfig::from_json(exponential, "right", std::nullopt, true).sigmas, SigmaForm::karras);
}

TEST(SchedulerConfig, TakesTheDefaultsOfTheChosenClass) {
    const Json ddim = of_class("DDIMScheduler");
    EXPECT_EQ(SchedulerConfig::from_json(ddim, "test").spacing, TimestepSpacing::leading);
    EXPECT_TRUE(SchedulerConfig::from_json(ddim, "test").ends_without_noise);
    const auto plms = SchedulerConfig::from_json(ddim, "test", SamplingMethod::plms);
    EXPECT_FALSE(plms.ends_without_noise);
    const auto euler = SchedulerConfig::from_json(ddim, "test", SamplingMethod::euler);
    EXPECT_EQ(euler.spacing, TimestepSpacing::linspace);
}

}  // namespace
}  // namespace gass
