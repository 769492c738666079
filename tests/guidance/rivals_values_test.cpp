// What is published about the methods that gass is compared with, and what their formulas say about them.

#include "diffusion/scheduler_config.h"
#include "guidance/given_vision.h"
#include "guidance/registry.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace gass {
namespace {

using test::GivenVision;
using ::testing::ElementsAreArray;

/// A schedule of a published model.
struct Model {
    Family family;
    Schedule schedule;
};

Model stable_diffusion_3() {
    const Json json{{"_class_name", "FlowMatchEulerDiscreteScheduler"}, {"shift", 3.0}};
    return {Family::flow, make_schedule(SchedulerConfig::from_json(json, "SD3"), 28, 1024)};
}

Model stable_diffusion_21(std::optional<SamplingMethod> method = std::nullopt) {
    const Json json{{"_class_name", "DDIMScheduler"},
                    {"beta_start", 0.00085},
                    {"beta_end", 0.012},
                    {"beta_schedule", "scaled_linear"},
                    {"prediction_type", "v_prediction"},
                    {"timestep_spacing", "leading"},
                    {"steps_offset", 1},
                    {"set_alpha_to_one", false},
                    {"clip_sample", false}};
    return {Family::diffusion, make_schedule(SchedulerConfig::from_json(json, "SD2.1", method), 50, 1024)};
}

const GivenVision& vision() {
    static const GivenVision one(at::randn({48, 32}, at::detail::createCPUGenerator(3), at::kFloat));
    return one;
}

at::Tensor normal(at::IntArrayRef shape, std::uint64_t seed) {
    return at::randn(shape, at::detail::createCPUGenerator(seed), at::kFloat);
}

std::unique_ptr<Method> made(std::string_view spec, Family family, std::int64_t images,
                             const at::Tensor& shield = {}) {
    return Methods(spec).make({.images = images,
                               .chunk = 2,
                               .family = family,
                               .vision = &vision(),
                               .prompt = vision().embed_text(""),
                               .texts = {},
                               .axes = {},
                               .shield = shield});
}

const std::vector<std::uint64_t>& seeds() {
    static const std::vector<std::uint64_t> some = [] {
        std::vector<std::uint64_t> all(16);
        std::iota(all.begin(), all.end(), 60U);
        return all;
    }();
    return some;
}

GroupStep step_of(const Model& model, std::size_t index, const at::Tensor* x = nullptr) {
    const Step& step = model.schedule.steps.at(index);
    return {.index = index,
            .count = model.schedule.steps.size(),
            .step = step,
            .time = step.timestep / model.schedule.train_timesteps,
            .seeds = &seeds(),
            .x = x};
}

/// A step beside every schedule.
GroupStep level(double signal, double noise, double time, const at::Tensor* x = nullptr) {
    return {.index = 0,
            .count = 28,
            .step = {.timestep = 1000 * time,
                     .from = {.signal = signal, .noise = noise},
                     .to = {},
                     .input_scale = 1.0},
            .time = time,
            .seeds = &seeds(),
            .x = x};
}

std::vector<std::size_t> steps_where(const Model& model, const std::function<bool(std::size_t)>& holds) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < model.schedule.steps.size(); ++i) {
        if (holds(i)) found.push_back(i);
    }
    return found;
}

std::vector<std::size_t> from_to(std::size_t first, std::size_t last) {
    std::vector<std::size_t> all(last - first + 1);
    std::iota(all.begin(), all.end(), first);
    return all;
}

std::vector<std::size_t> steered(std::string_view spec, const Model& model) {
    const at::NoGradGuard no_grad;
    const at::Tensor clean = normal({4, 4, 8, 8}, 1);
    const at::Tensor noise = normal({4, 4, 8, 8}, 2);
    return steps_where(model, [&](std::size_t i) {
        const NoiseLevel at = model.schedule.steps[i].from;
        const at::Tensor x = at.signal * clean + at.noise * noise;
        return !made(spec, model.family, 4)->steer(clean, step_of(model, i, &x)).is_same(clean);
    });
}

std::vector<std::size_t> guided(std::string_view spec, const Model& model) {
    const auto method = made(spec, model.family, 4);
    return steps_where(model, [&](std::size_t i) {
        const double weight = method->guidance(7.0, step_of(model, i));
        EXPECT_TRUE(weight == 7.0 || weight == 1.0) << weight;
        return weight == 7.0;
    });
}

std::vector<std::size_t> noised(std::string_view spec, const Model& model) {
    const Condition given{.sequence = normal({4, 5, 6}, 1), .pooled = normal({4, 7}, 2)};
    const auto method = made(spec, model.family, 4);
    return steps_where(model, [&](std::size_t i) {
        return !at::equal(method->condition(given, step_of(model, i)).sequence, given.sequence);
    });
}

double length(const at::Tensor& tensor) {
    return tensor.to(at::kDouble).norm().item<double>();
}

double distance(const at::Tensor& a, const at::Tensor& b) {
    return length(a.to(at::kDouble) - b.to(at::kDouble));
}

/// The mean length of rows.
double mean_length(const at::Tensor& rows) {
    return rows.to(at::kDouble).flatten(1).norm(2, 1).mean().item<double>();
}

// Particle Guidance.

TEST(RivalsValues, ParticleGuidanceActsAtThePublishedSteps) {
    EXPECT_THAT(steered("pg", stable_diffusion_21()), ElementsAreArray(from_to(0, 31)));
    EXPECT_THAT(steered("pg", stable_diffusion_21(SamplingMethod::euler)), ElementsAreArray(from_to(0, 31)));
    EXPECT_THAT(steered("pg:port=naive", stable_diffusion_3()), ElementsAreArray(from_to(0, 20)));
    EXPECT_THAT(steered("pg", stable_diffusion_3()), ElementsAreArray(from_to(1, 20)));
    EXPECT_THAT(steered("pg-features", stable_diffusion_21()), ElementsAreArray(from_to(0, 15)));
    EXPECT_THAT(steered("pg-features", stable_diffusion_21(SamplingMethod::euler)),
                ElementsAreArray(from_to(0, 15)));
    EXPECT_THAT(steered("pg-features", stable_diffusion_3()), ElementsAreArray(from_to(1, 13)));
}

TEST(RivalsValues, ParticleGuidanceIsAsLargeAsPublishedOnStableDiffusion3) {
    const Model model = stable_diffusion_3();
    const at::Tensor x = normal({10, 16, 64, 64}, 5);
    const at::Tensor clean = at::zeros_like(x);
    /// What is added to v; x0 = x − σ v.
    const auto velocity = [&](const char* spec, std::size_t index) {
        const double sigma = model.schedule.steps[index].from.noise;
        return mean_length(made(spec, model.family, 10)->steer(clean, step_of(model, index, &x))) / sigma;
    };
    EXPECT_NEAR(velocity("pg:port=naive", 0), 0.27, 0.005);
    EXPECT_NEAR(velocity("pg:port=naive,coefficient=60", 0), 0.54, 0.01);
    EXPECT_NEAR(velocity("pg", 1), 21, 0.5);
    EXPECT_NEAR(velocity("pg", 5), 3.6, 0.05);
    EXPECT_NEAR(velocity("pg", 12), 1.0, 0.05);
}

TEST(RivalsValues, ParticleGuidanceIsAsLargeAsPublishedOnStableDiffusion21) {
    for (const auto method : {SamplingMethod::ddim, SamplingMethod::euler}) {
        const Model model = stable_diffusion_21(method);
        const at::Tensor noise = normal({10, 4, 96, 96}, 6);
        const at::Tensor clean = at::zeros_like(noise);
        /// The change of ε beside ε.
        const auto share = [&](std::size_t index) {
            const NoiseLevel at = model.schedule.steps[index].from;
            const at::Tensor x = noise * std::hypot(at.signal, at.noise);
            const at::Tensor move = made("pg", model.family, 10)->steer(clean, step_of(model, index, &x));
            return mean_length(move) * at.signal / at.noise / mean_length(noise);
        };
        EXPECT_NEAR(share(0), 0.025, 0.0005);
        EXPECT_NEAR(share(31), 0.002, 0.0002);  // σ_VE = 1
    }
}

/// G of Particle Guidance for points [N, D].
at::Tensor repulsion(const at::Tensor& points) {
    const std::int64_t count = points.size(0);
    at::Tensor result = at::zeros_like(points);
    for (std::int64_t i = 0; i < count; ++i) {
        std::vector<double> lengths;
        for (std::int64_t j = 0; j < count; ++j) {
            if (j != i) lengths.push_back(length(points[i] - points[j]));
        }
        std::sort(lengths.begin(), lengths.end());
        const double median = lengths[(lengths.size() - 1) / 2];
        const double bandwidth = median * median / std::log(static_cast<double>(count - 1));
        for (std::int64_t j = 0; j < count; ++j) {
            const at::Tensor offset = points[i] - points[j];
            if (j != i) result[i] += 2 * at::exp(-offset.square().sum() / bandwidth) * offset / bandwidth;
        }
    }
    return result;
}

/// The slope of a function along every number of `at`.
at::Tensor slopes(const at::Tensor& at, const std::function<double(const at::Tensor&)>& function) {
    constexpr double kStep = 1e-5;
    const at::Tensor place = at.to(at::kDouble).flatten().clone();
    at::Tensor result = at::zeros_like(place);
    for (std::int64_t i = 0; i < place.numel(); ++i) {
        const auto value = [&](double step) {
            at::Tensor moved = place.clone();
            moved[i] += step;
            return function(moved.reshape(at.sizes()));
        };
        result[i] = (value(kStep) - value(-kStep)) / (2 * kStep);
    }
    return result.reshape(at.sizes());
}

TEST(RivalsValues, ParticleGuidanceIsTheSlopeOfItsPotential) {
    const at::Tensor x = normal({3, 1, 2, 3}, 7);
    const at::Tensor clean = at::zeros_like(x);
    const at::Tensor move =
        made("pg:port=naive,coefficient=1", Family::flow, 3)->steer(clean, level(0.25, 0.75, 0.75, &x)) /
        (0.75 * 0.75);
    const at::Tensor points = x.to(at::kDouble).flatten(1);
    for (std::int64_t i = 0; i < 3; ++i) {
        const double to_first = length(points[i] - points[(i + 1) % 3]);
        const double to_second = length(points[i] - points[(i + 2) % 3]);
        const double bandwidth = std::pow(std::min(to_first, to_second), 2) / std::log(2.0);
        const at::Tensor slope = slopes(points[i], [&](const at::Tensor& mover) {
            double potential = 0;
            for (const std::int64_t j : {(i + 1) % 3, (i + 2) % 3})
                potential -= std::exp(-std::pow(length(mover - points[j]), 2) / bandwidth);
            return potential;
        });
        EXPECT_LE(distance(move[i].flatten(), slope), 1e-4 * length(slope));
    }
}

TEST(RivalsValues, ParticleGuidanceByFeaturesFollowsTheSlopeThroughTheVision) {
    const at::NoGradGuard no_grad;
    for (const Family family : {Family::flow, Family::diffusion}) {
        const at::Tensor clean = normal({3, 4, 4, 4}, 8);
        const NoiseLevel at = family == Family::flow
                                  ? NoiseLevel{.signal = 0.1, .noise = 0.9}
                                  : NoiseLevel{.signal = 0.2, .noise = std::sqrt(1 - 0.04)};
        const at::Tensor x = at.signal * clean + at.noise * normal({3, 4, 4, 4}, 9);
        const at::Tensor move =
            made("pg-features", family, 3)->steer(clean, level(at.signal, at.noise, 0.9, &x)) - clean;
        const auto features = [](const at::Tensor& latents) {
            return vision().embed(vision().decode(latents));
        };
        const at::Tensor away = 8 * repulsion(features(clean.to(at::kDouble)));
        const auto objective = [&](const at::Tensor& latents) {
            return (features(latents) * away).sum().item<double>();
        };
        const double ve = at.noise / at.signal;
        const at::Tensor expected = slopes(clean, objective) * (family == Family::flow ? ve : ve / at.signal);
        EXPECT_LE(distance(move, expected), 1e-3 * length(expected));
        const at::Tensor direction = move.to(at::kDouble) / length(move);
        EXPECT_GT(objective(clean.to(at::kDouble) + 0.01 * direction), objective(clean.to(at::kDouble)));
    }
}

TEST(RivalsValues, NobodyIsRepelledInSmallGroups) {
    for (const char* spec : {"pg", "pg:port=naive", "pg-features"}) {
        for (const std::int64_t images : {1, 2}) {
            const at::Tensor x = normal({images, 4, 4, 4}, 8);
            const at::Tensor clean = x * 0.5;
            EXPECT_TRUE(
                made(spec, Family::flow, images)->steer(clean, level(0.05, 0.95, 0.95, &x)).is_same(clean));
        }
    }
}

// DPP.

TEST(RivalsValues, DppFollowsTheSlopeThroughTheVision) {
    const at::NoGradGuard no_grad;
    const at::Tensor clean = normal({3, 4, 4, 4}, 10);
    const at::Tensor x = normal({3, 4, 4, 4}, 11);
    const at::Tensor move = made("dpp", Family::flow, 3)->steer(clean, level(0.5, 0.5, 0.5, &x)) - clean;
    const auto squares = [](const at::Tensor& latents) {
        const at::Tensor features = vision().embed(vision().decode(latents));
        return (features.unsqueeze(1) - features.unsqueeze(0)).square().sum(-1);
    };
    const at::Tensor now = squares(clean.to(at::kDouble));
    const at::Tensor median =
        at::stack({now[0][1], now[0][2], now[1][2]}).median();  // the same whatever the step
    const auto objective = [&](const at::Tensor& latents) {
        const at::Tensor kernel = at::exp(-3 * squares(latents) / median);
        return (at::logdet(kernel) - at::logdet(kernel + at::eye(3, at::kDouble))).item<double>();
    };
    const at::Tensor slope = slopes(clean, objective).flatten(1);
    const double rms = std::sqrt(slope.square().sum(1).mean().item<double>());
    const at::Tensor lengths = clean.to(at::kDouble).flatten(1).norm(2, 1, true);
    const at::Tensor expected = (0.12 * lengths * slope / rms).reshape(clean.sizes());
    EXPECT_LE(distance(move, expected), 1e-3 * length(expected));
    const at::Tensor direction = move.to(at::kDouble) / length(move);
    EXPECT_GT(objective(clean.to(at::kDouble) + 0.01 * direction), objective(clean.to(at::kDouble)));
}

TEST(RivalsValues, DppActsInItsInterval) {
    EXPECT_THAT(steered("dpp", stable_diffusion_3()), ElementsAreArray(from_to(7, 24)));
    EXPECT_THAT(steered("dpp", stable_diffusion_21()), ElementsAreArray(from_to(5, 39)));
}

// SPELL.

/// Two images at a distance of 10, and where they are then.
struct Pair {
    at::Tensor before = at::cat({at::zeros({1, 1, 2, 2}), at::full({1, 1, 2, 2}, 5.0)});
    at::Tensor after;

    explicit Pair(const char* spec)
        : after(made(spec, Family::flow, 2)->steer(before, level(0.2, 0.8, 0.8, &before))) {}
};

TEST(RivalsValues, SpellPushesAPairFromBothSides) {
    const Pair pushed("spell:radius=13,overcompensation=1");
    EXPECT_NEAR(distance(pushed.after[0], pushed.after[1]), 2 * 13 - 10, 1e-4);
    EXPECT_NEAR(distance(pushed.after[0], pushed.before[0]), 3, 1e-4);
    EXPECT_NEAR(distance(pushed.after[1], pushed.before[1]), 3, 1e-4);
    EXPECT_NEAR(distance(pushed.after.mean(0), pushed.before.mean(0)), 0, 1e-5);

    const Pair further("spell:radius=13");
    EXPECT_NEAR(distance(further.after[0], further.before[0]), 1.6 * 3, 1e-4);

    for (const char* spec : {"spell:radius=9.9", "spell:radius=0"}) {
        const Pair apart(spec);
        EXPECT_TRUE(at::equal(apart.after, apart.before)) << spec;
    }
}

TEST(RivalsValues, SpellPutsAnImageOnTheSphereAroundWhatItShields) {
    const at::Tensor shield = normal({1, 4, 8, 8}, 12);
    const at::Tensor clean = shield + 0.3 * normal({1, 4, 8, 8}, 13);
    const double before = distance(clean, shield);
    for (const double radius : {6.0, 20.0, 350.0}) {
        const std::string spec = "spell:radius=" + std::to_string(radius);
        const auto after = [&](const std::string& more) {
            return distance(made(spec + more, Family::diffusion, 1, shield)
                                ->steer(clean, level(0.5, std::sqrt(0.75), 0.6, &clean)),
                            shield);
        };
        EXPECT_NEAR(after(",overcompensation=1"), radius, 1e-4 * radius);
        EXPECT_NEAR(after(""), before + 1.6 * (radius - before), 1e-3 * radius);
    }
}

TEST(RivalsValues, SpellTellsItsRadiusAndWhomItMoved) {
    // Two close together and two far from everybody.
    at::Tensor clean = at::zeros({4, 1, 2, 2});
    clean[1] += 1;
    clean[2] += 100;
    clean[3] -= 100;
    const auto method = made("spell:radius=5", Family::flow, 4);
    for (const double time : {0.9, 0.5}) method->steer(clean, level(1 - time, time, time, &clean));
    const auto report = method->report().value();
    ASSERT_EQ(report.size(), 2U);
    for (const MethodStep& step : report) {
        EXPECT_EQ(std::get<Repellency>(step).radius, 5.0);
        EXPECT_NEAR(std::get<Repellency>(step).active.value(), 0.5, 1e-9);
    }
}

TEST(RivalsValues, SpellKeepsTheRadiusOfItsTime) {
    const Model model = stable_diffusion_3();
    const at::Tensor clean = normal({5, 4, 8, 8}, 14);
    const auto method = made("spell", Family::flow, 5);
    for (std::size_t i = 0; i < 28; ++i) {
        const at::Tensor now = clean * (1 + static_cast<double>(i));
        method->steer(now, step_of(model, i, &now));
    }
    const auto report = method->report().value();
    ASSERT_EQ(report.size(), 28U);
    const auto radius = [&](std::size_t i) { return std::get<Repellency>(report.at(i)).radius.value(); };
    // Times of at most 0.8 begin at step 12; the estimates grow by as much at every step.
    for (std::size_t i = 0; i < 28; ++i) {
        const double expected = radius(0) * static_cast<double>(std::min<std::size_t>(i, 12) + 1);
        EXPECT_NEAR(radius(i), expected, 1e-4 * expected) << i;
    }
}

TEST(RivalsValues, SpellSurvivesTwins) {
    const at::Tensor clean = normal({1, 4, 8, 8}, 15).repeat({3, 1, 1, 1});
    for (const char* spec : {"spell", "spell:radius=10"}) {
        const auto method = made(spec, Family::flow, 3, clean.narrow(0, 0, 1));
        const at::Tensor after = method->steer(clean, level(0.2, 0.8, 0.8, &clean));
        EXPECT_TRUE(at::isfinite(after).all().item<bool>()) << spec;
    }
}

// Interval guidance.

TEST(RivalsValues, IntervalGuidesThePublishedSteps) {
    const Model sd3 = stable_diffusion_3();
    for (const char* spec : {"interval", "ig", "interval:level=time", "interval:level=sigma"})
        EXPECT_THAT(guided(spec, sd3), ElementsAreArray(from_to(12, 24))) << spec;
    for (const auto method : {SamplingMethod::ddim, SamplingMethod::euler}) {
        const Model sd21 = stable_diffusion_21(method);
        EXPECT_THAT(guided("interval:low=0.1,high=0.9", sd21), ElementsAreArray(from_to(5, 44)));
        EXPECT_THAT(guided("interval:low=0.1,high=0.9,level=sigma", sd21), ElementsAreArray(from_to(21, 48)));
        EXPECT_EQ(guided("interval:low=0.1,high=0.9,level=ve", sd21).size(), 16U);
        EXPECT_EQ(guided("interval:low=0.28,high=5.42,level=ve", sd21).size(), 37U);  // SD-XL's
    }
}

TEST(RivalsValues, TheWholeIntervalIsPlainGuidance) {
    for (const char* level : {"time", "sigma", "fraction"}) {
        const std::string spec = std::string("interval:low=0,high=1,level=") + level;
        EXPECT_EQ(guided(spec, stable_diffusion_3()).size(), 28U) << level;
        EXPECT_EQ(guided(spec, stable_diffusion_21()).size(), 50U) << level;
    }
}

// CADS.

TEST(RivalsValues, CadsNoisesThePublishedSteps) {
    EXPECT_THAT(noised("cads", stable_diffusion_3()), ElementsAreArray(from_to(0, 6)));
    EXPECT_THAT(noised("cads:time=fraction", stable_diffusion_3()), ElementsAreArray(from_to(0, 2)));
    EXPECT_THAT(noised("cads:tau2=1.3,scale=0.15", stable_diffusion_21()), ElementsAreArray(from_to(0, 4)));
}

TEST(RivalsValues, CadsBeginsAtThePublishedLevels) {
    const Condition text{.sequence = normal({2, 200, 200}, 16), .pooled = normal({2, 40000}, 17)};
    const auto at_first = [&](const std::string& spec, double time = 1.0) {
        return made(spec + ",mix=0", Family::flow, 2)->condition(text, level(1 - time, time, time));
    };
    const auto spread = [](const at::Tensor& tensor) { return tensor.std().item<double>(); };
    struct Published {
        std::string spec;
        double scale;
        double clarity;
        double noise;
    };
    for (const Published& of : {Published{"cads:tau1=0.9,tau2=1.2", 0.10, 0.667, 0.058},
                                Published{"cads:tau1=0.9,tau2=1.3", 0.15, 0.75, 0.075}}) {
        const Condition plain = at_first(of.spec + ",scale=0.000000001");  // none to speak of
        for (const auto& [ours, given] :
             {std::pair{plain.sequence, text.sequence}, std::pair{plain.pooled, text.pooled}})
            EXPECT_NEAR(std::pow(length(ours) / length(given), 2), of.clarity, 1e-3) << of.spec;
        const Condition noisy = at_first(of.spec + ",scale=" + std::to_string(of.scale));
        EXPECT_NEAR(spread(noisy.sequence - plain.sequence), of.noise, 0.001);
        EXPECT_NEAR(spread(noisy.pooled - plain.pooled), of.noise, 0.001);
    }
    const Condition nothing_else = at_first("cads:tau1=0.3,tau2=0.9,scale=0.25", 0.95);
    EXPECT_NEAR(spread(nothing_else.sequence), 0.25, 0.005);
    const double correlation =
        (nothing_else.sequence * text.sequence).mean().item<double>() / spread(nothing_else.sequence);
    EXPECT_NEAR(correlation, 0, 0.02);
}

TEST(RivalsValues, CadsNoisesWhatItIsTold) {
    const Condition text{.sequence = normal({2, 5, 6}, 18), .pooled = normal({2, 7}, 19)};
    const GroupStep first = level(0, 1, 1);
    const Condition bare = made("cads:pooled=off", Family::flow, 2)->condition(text, first);
    EXPECT_FALSE(at::equal(bare.sequence, text.sequence));
    EXPECT_TRUE(at::equal(bare.pooled, text.pooled));
    const Condition off = made("cads", Family::flow, 2)->unconditional(text, first);
    EXPECT_TRUE(off.sequence.is_same(text.sequence) && off.pooled.is_same(text.pooled));
    const Condition on = made("cads:uncond=on", Family::flow, 2)->unconditional(text, first);
    EXPECT_FALSE(at::equal(on.sequence, text.sequence));
    EXPECT_FALSE(at::equal(on.pooled, text.pooled));
}

// Starting noise.

TEST(RivalsValues, NoiseKeepsItsPromises) {
    const at::Tensor noise = normal({6, 4, 8, 8}, 20);
    const std::vector<std::uint64_t> six(seeds().begin(), seeds().begin() + 6);
    const auto started = [&](const char* spec) { return made(spec, Family::flow, 6)->start(noise, six); };

    const at::Tensor pairs = started("noise:kind=antithetic");
    for (std::int64_t i = 0; i < 6; i += 2) {
        EXPECT_TRUE(at::equal(pairs[i], noise[i]));
        EXPECT_TRUE(at::equal(pairs[i + 1], -noise[i]));
    }

    const at::Tensor rows = started("noise:kind=orthogonal").to(at::kDouble).flatten(1);
    const at::Tensor lengths = noise.to(at::kDouble).flatten(1).norm(2, 1);
    EXPECT_LE(distance(rows.matmul(rows.t()), at::diag(lengths.square())), 1e-3);

    const at::Tensor coarse = started("noise:kind=coarse,scale=1.5,modes=1");
    const at::Tensor means = noise.mean({2, 3}, true);  // the one mode
    EXPECT_LE(distance(coarse, noise + 0.5 * means), 1e-5 * length(noise));
    const at::Tensor all = started("noise:kind=coarse,scale=1.5,modes=8");
    EXPECT_LE(distance(all, 1.5 * noise), 1e-5 * length(noise));
}

// All of them.

TEST(RivalsValues, MethodsSayWhatTheyNeed) {
    for (const char* spec : {"pg-features", "dpp"}) EXPECT_TRUE(Methods(spec).look()) << spec;
    for (const char* spec : {"pg", "spell", "noise:kind=coarse", "cfg", "interval", "ig", "cads"})
        EXPECT_FALSE(Methods(spec).look()) << spec;
    for (const char* spec : {"pg", "pg-features", "spell", "dpp"})
        EXPECT_TRUE(made(spec, Family::flow, 4)->injection() == Injection::rederive) << spec;
}

TEST(RivalsValues, NothingMovesWithoutStrength) {
    const at::Tensor x = normal({4, 4, 8, 8}, 21);
    const at::Tensor clean = normal({4, 4, 8, 8}, 22);
    for (const Family family : {Family::flow, Family::diffusion}) {
        for (const char* spec :
             {"pg:coefficient=0", "pg-features:coefficient=0", "spell:radius=0", "dpp:scale=0"})
            EXPECT_TRUE(made(spec, family, 4)->steer(clean, level(0.15, 0.85, 0.85, &x)).is_same(clean))
                << spec;
    }
}

}  // namespace
}  // namespace gass
