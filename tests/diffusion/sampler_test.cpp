#include "diffusion/sampler.h"

#include "diffusion/scheduler_config.h"
#include "support/expect_error.h"
#include "tensor/random.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <string>

namespace gass {
namespace {

using ::testing::ElementsAre;

/// Pulls x towards the condition's first value; counts what it is asked.
class PullingDenoiser final : public Denoiser {
  public:
    at::Tensor predict(const at::Tensor& x, double timestep, const Condition& condition) const override {
        rows.push_back(x.size(0));
        return at::tanh(x * 0.5 + timestep * 1e-3) - condition.sequence.view({-1, 1, 1, 1});
    }
    mutable std::vector<std::int64_t> rows;
};

Schedule flow_schedule(std::int64_t steps) {
    const Json json = {{"_class_name", "FlowMatchEulerDiscreteScheduler"}, {"shift", 3.0}};
    return make_schedule(SchedulerConfig::from_json(json, "test"), steps, 64);
}

/// A group whose conditions are 1, 2, 3 … and whose unconditional is 0.
SamplerInput input_for(const std::vector<std::uint64_t>& seeds, double first_condition = 1.0) {
    SamplerInput input;
    std::vector<at::Tensor> noise;
    for (const std::uint64_t seed : seeds) noise.push_back(initial_noise(seed, {1, 2, 3, 4}));
    const auto count = static_cast<std::int64_t>(seeds.size());
    input.noise = at::cat(noise);
    input.seeds = seeds;
    input.condition.sequence = (at::arange(count, at::kFloat) + first_condition).view({count, 1, 1});
    input.unconditional = Condition{at::zeros({count, 1, 1}), {}};
    return input;
}

at::Tensor run(Method& method, SamplerInput input, double cfg_scale = 1.0, std::int64_t chunk = 16,
               std::int64_t steps = 6) {
    return sample(PullingDenoiser(), flow_schedule(steps), method, std::move(input),
                  {.cfg_scale = cfg_scale, .chunk = chunk, .after_step = {}, .should_stop = {}})
        .latents;
}

TEST(Sampler, LeavesTheUnconditionalHalfOutWithoutGuidance) {
    Method none;
    const PullingDenoiser denoiser;
    SamplerInput input = input_for({1, 2, 3});
    input.unconditional.reset();
    sample(denoiser, flow_schedule(2), none, std::move(input),
           {.cfg_scale = 1.0, .chunk = 8, .after_step = {}, .should_stop = {}});
    EXPECT_THAT(denoiser.rows, ElementsAre(3, 3));
}

TEST(Sampler, GuidanceExtrapolatesFromTheUnconditional) {
    // One step of the flow from σ = 1 to 0: x0 = x − out, and out = u + w (p − u).
    Method none;
    const SamplerInput input = input_for({5});
    const at::Tensor without = at::tanh(input.noise * 0.5 + 1.0);
    const at::Tensor expected = input.noise - (without + 3.0 * ((without - 1.0) - without));
    EXPECT_TRUE(at::allclose(run(none, input, 3.0, 1, 1), expected, 1e-5, 1e-5));
}

TEST(Sampler, ChunksGiveTheSameImages) {
    Method none;
    const at::Tensor whole = run(none, input_for({1, 2, 3, 4, 5}), 4.0, 5);
    for (const std::int64_t chunk : {1, 2, 3, 4, 100})
        EXPECT_TRUE(at::equal(run(none, input_for({1, 2, 3, 4, 5}), 4.0, chunk), whole)) << chunk;
}

/// Keeps images 2 and 0 at one step.
class Selecting final : public Method {
  public:
    std::optional<at::Tensor> select(const at::Tensor& /*clean*/, const GroupStep& at) override {
        if (at.index != 2) return std::nullopt;
        return at::tensor(at::ArrayRef<std::int64_t>({2, 0}));
    }
};

TEST(Sampler, SelectedImagesGoOnAsIfAlone) {
    Selecting selecting;
    const SamplerOutput output = sample(PullingDenoiser(), flow_schedule(6), selecting, input_for({7, 8, 9}),
                                        {.cfg_scale = 2.0, .chunk = 2, .after_step = {}, .should_stop = {}});
    EXPECT_THAT(output.seeds, ElementsAre(9, 7));
    Method none;
    EXPECT_TRUE(at::allclose(output.latents[0], run(none, input_for({9}, 3.0), 2.0)[0], 1e-6, 1e-6));
    EXPECT_TRUE(at::allclose(output.latents[1], run(none, input_for({7}, 1.0), 2.0)[0], 1e-6, 1e-6));
}

/// Looks ahead in two long steps, then keeps images 2 and 0.
class Scouting final : public Method {
  public:
    std::vector<std::size_t> scout(const Schedule& /*schedule*/, std::int64_t /*candidates*/) const override {
        return {0, 3};
    }
    std::optional<at::Tensor> select(const at::Tensor& clean, const GroupStep& at) override {
        if (clean.size(0) != 3) return std::nullopt;
        EXPECT_EQ(at.index, 3U);
        return at::tensor(at::ArrayRef<std::int64_t>({2, 0}));
    }
};

TEST(Sampler, ScoutedImagesStartFromTheirOwnNoise) {
    Scouting scouting;
    const PullingDenoiser denoiser;
    const SamplerOutput output = sample(denoiser, flow_schedule(6), scouting, input_for({7, 8, 9}),
                                        {.cfg_scale = 2.0, .chunk = 8, .after_step = {}, .should_stop = {}});
    EXPECT_THAT(output.seeds, ElementsAre(9, 7));
    EXPECT_THAT(output.kept, ElementsAre(2, 0));
    // Two looks without guidance at all three, then six guided steps of the two that were kept.
    EXPECT_THAT(denoiser.rows, ElementsAre(3, 3, 4, 4, 4, 4, 4, 4));
    Method none;
    EXPECT_TRUE(at::allclose(output.latents[0], run(none, input_for({9}, 3.0), 2.0)[0], 1e-6, 1e-6));
    EXPECT_TRUE(at::allclose(output.latents[1], run(none, input_for({7}, 1.0), 2.0)[0], 1e-6, 1e-6));
}

/// Sees a picture behind any noise.
class KnowingDenoiser final : public Denoiser {
  public:
    explicit KnowingDenoiser(at::Tensor clean) : clean_(std::move(clean)) {}
    at::Tensor predict(const at::Tensor& x, double timestep, const Condition&) const override {
        first = first.defined() ? first : x;
        return (x - clean_) / (timestep / 1000);
    }
    mutable at::Tensor first;  // that it saw

  private:
    at::Tensor clean_;
};

TEST(Sampler, BeginsWithAPicture) {
    Method none;
    SamplerInput input = input_for({1, 2, 3});
    input.clean = initial_noise(9, {1, 2, 3, 4});
    const Schedule half = from_the_middle(flow_schedule(6), 0.5);
    ASSERT_EQ(half.steps.size(), 3U);
    const KnowingDenoiser denoiser(input.clean);
    const at::Tensor latents = sample(denoiser, half, none, input,
                                      {.cfg_scale = 1.0, .chunk = 8, .after_step = {}, .should_stop = {}})
                                   .latents;
    // The same picture under each seed's own noise, as much of it as the first step takes away.
    const NoiseLevel level = half.steps.front().from;
    EXPECT_TRUE(at::allclose(denoiser.first, level.signal * input.clean + level.noise * input.noise));
    EXPECT_TRUE(at::allclose(latents, input.clean.expand_as(latents), 1e-5, 1e-5));

    // Where all is noise nothing of the picture is left.
    const at::Tensor plain = run(none, input_for({1, 2, 3}));
    EXPECT_TRUE(at::allclose(run(none, std::move(input)), plain, 1e-6, 1e-6));
}

/// Returns equal estimates in other memory, or moves them by `shift`.
class Steering final : public Method {
  public:
    Steering(double shift, Injection how) : shift_(shift), how_(how) {}
    at::Tensor steer(const at::Tensor& clean, const GroupStep& /*at*/) override { return clean + shift_; }
    std::optional<Injection> injection() const override { return how_; }

  private:
    double shift_;
    Injection how_;
};

TEST(Sampler, SteeringByNothingChangesNothing) {
    Method none;
    const at::Tensor plain = run(none, input_for({1, 2}), 3.0);
    for (const Injection how : {Injection::rederive, Injection::keep_noise}) {
        Steering still(0.0, how);
        EXPECT_TRUE(at::allclose(run(still, input_for({1, 2}), 3.0), plain, 1e-5, 1e-5));
    }
}

TEST(Sampler, InjectionDecidesWhatHappensToTheNoise) {
    // One step from σ to σ', x0 moved by d: with the noise kept x' moves by (1 − σ') d; with the noise
    // re-derived the noise takes −(1 − σ)/σ d of it back, times σ'.
    const Schedule schedule = flow_schedule(3);
    const Step& step = schedule.steps[1];
    const auto move = [&](Injection how) {
        Schedule one = schedule;
        one.steps = {step};
        Method none;
        Steering steering(0.5, how);
        const auto after = [&](Method& method) {
            return sample(PullingDenoiser(), one, method, input_for({3}),
                          {.cfg_scale = 1, .chunk = 1, .after_step = {}, .should_stop = {}})
                .latents;
        };
        return (after(steering) - after(none)).mean().item<double>();
    };
    EXPECT_NEAR(move(Injection::keep_noise), 0.5 * step.to.signal, 1e-5);
    EXPECT_NEAR(move(Injection::rederive),
                0.5 * (step.to.signal - step.to.noise * step.from.signal / step.from.noise), 1e-5);
}

/// Writes down in which order its hooks are called.
class Listening final : public Method {
  public:
    at::Tensor start(const at::Tensor& noise, const std::vector<std::uint64_t>& seeds) override {
        calls.push_back("start");
        EXPECT_THAT(seeds, ElementsAre(1));
        return noise;
    }
    Condition condition(const Condition& condition, const GroupStep& at) override {
        calls.push_back("condition");
        EXPECT_DOUBLE_EQ(at.time, at.step.timestep / 1000);
        return condition;
    }
    double guidance(double cfg_scale, const GroupStep& /*at*/) override {
        calls.push_back("guidance");
        return cfg_scale;
    }
    std::optional<at::Tensor> select(const at::Tensor& /*clean*/, const GroupStep& /*at*/) override {
        calls.push_back("select");
        return std::nullopt;
    }
    at::Tensor steer(const at::Tensor& clean, const GroupStep& /*at*/) override {
        calls.push_back("steer");
        return clean;
    }
    std::vector<std::string> calls;
};

TEST(Sampler, CallsTheHooksInOrder) {
    Listening listening;
    run(listening, input_for({1}), 2.0, 1, 1);
    EXPECT_THAT(listening.calls, ElementsAre("start", "guidance", "condition", "select", "steer"));
}

TEST(Sampler, StopsWhenAsked) {
    Method none;
    std::size_t steps = 0;
    test::expect_error(ErrorCode::interrupted, "after step 3 of 6", [&] {
        sample(PullingDenoiser(), flow_schedule(6), none, input_for({1}),
               {.cfg_scale = 1.0,
                .chunk = 1,
                .after_step = [&](const GroupStep&, const at::Tensor&) { return ++steps < 3; },
                .should_stop = {}});
    });
    EXPECT_EQ(steps, 3U);
}

}  // namespace
}  // namespace gass
