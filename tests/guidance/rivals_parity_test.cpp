#include "guidance/given_vision.h"
#include "guidance/registry.h"
#include "support/reference_cases.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace gass {
namespace {

/// What tools/reference/rivals_fixtures.py wrote.
class Reference {
  public:
    static const Reference& get() {
        static const Reference reference;
        return reference;
    }

    /// The cases of a method.
    std::vector<Json> cases(std::string_view method) const {
        std::vector<Json> found;
        for (const Json& one : made_.cases) {
            const auto spec = one.at("method").get<std::string>();
            if (spec.substr(0, spec.find(':')) == method) found.push_back(one);
        }
        return found;
    }
    at::Tensor operator[](const std::string& name) const { return made_.tensors.at(name); }
    bool has(const std::string& name) const { return made_.tensors.contains(name); }

  private:
    Reference() = default;

    test::ReferenceCases made_{"rivals"};
};

double length(const at::Tensor& tensor) {
    return tensor.to(at::kDouble).norm().item<double>();
}

/// Goes through the calls of one case.
class Replay {
  public:
    explicit Replay(const Json& description)
        : description_(description),
          name_(description.at("name").get<std::string>()),
          images_(description.at("images").get<std::int64_t>()),
          vision_(reference_["projection"]),
          seeds_(static_cast<std::size_t>(images_)),
          method_(Methods(description.at("method").get<std::string>()).make(setup())) {
        std::iota(seeds_.begin(), seeds_.end(), 40U);
    }

    /// The largest relative error.
    double run() {
        const at::NoGradGuard no_grad;  // as in the sampler
        const auto hook = description_.at("hook").get<std::string>();
        for (const Json& call : description_.at("calls")) {
            const std::string at = fmt::format("{}/{}/", name_, count_++);
            SCOPED_TRACE(at);
            if (hook == "steer") steer(call, at);
            if (hook == "start") start(call, at);
            if (hook == "guidance") guidance(call);
            if (hook == "condition" || hook == "unconditional") condition(call, at, hook == "condition");
        }
        EXPECT_GT(count_, 0U);
        return largest_;
    }

  private:
    MethodSetup setup() const {
        const bool shielded = description_.at("shield").get<std::int64_t>() > 0;
        return {.images = images_,
                .chunk = 3,
                .family = description_.at("family") == "flow" ? Family::flow : Family::diffusion,
                .vision = &vision_,
                .prompt = vision_.embed_text(""),
                .texts = {},
                .axes = {},
                .shield = shielded ? reference_[name_ + "/shield"] : at::Tensor()};
    }

    GroupStep step(const Json& call, const at::Tensor* x = nullptr) const {
        const NoiseLevel level{.signal = call.at("signal").get<double>(),
                               .noise = call.at("noise").get<double>()};
        return {.index = call.at("index").get<std::size_t>(),
                .count = call.at("count").get<std::size_t>(),
                .step = {.timestep = call.at("timestep").get<double>(),
                         .from = level,
                         .to = {},
                         .input_scale = 1.0},
                .time = call.at("time").get<double>(),
                .seeds = &seeds_,
                .x = x};
    }

    void steer(const Json& call, const std::string& at) {
        const at::Tensor given = reference_[at + "clean"];
        const at::Tensor clean = given.clone();
        const at::Tensor x = reference_[at + "x"].clone();
        const at::Tensor steered = method_->steer(clean, step(call, &x));
        EXPECT_TRUE(at::equal(clean, given)) << "the argument was written to";
        EXPECT_TRUE(at::equal(x, reference_[at + "x"])) << "x was written to";
        // SPELL's own: a distance that is nearly the radius leaves few digits of the difference.
        compare(call, at, steered, clean, description_.at("method").get<std::string>().starts_with("spell"));
        report(call);
    }

    void start(const Json& call, const std::string& at) {
        const at::Tensor noise = reference_[at + "noise"].clone();
        const at::Tensor started = method_->start(noise, seeds_);
        EXPECT_TRUE(at::equal(noise, reference_[at + "noise"])) << "the argument was written to";
        compare(call, at, started, noise, true);
    }

    void guidance(const Json& call) {
        EXPECT_EQ(method_->guidance(call.at("cfg").get<double>(), step(call)),
                  call.at("weight").get<double>());
    }

    void condition(const Json& call, const std::string& at, bool with_text) {
        Condition given{.sequence = reference_[at + "sequence"], .pooled = {}};
        if (reference_.has(at + "pooled")) given.pooled = reference_[at + "pooled"];
        const Condition ours =
            with_text ? method_->condition(given, step(call)) : method_->unconditional(given, step(call));
        EXPECT_EQ(ours.pooled.defined(), given.pooled.defined());
        if (call.at("expect") == "same") {
            EXPECT_TRUE(ours.sequence.is_same(given.sequence));
            EXPECT_TRUE(ours.pooled.is_same(given.pooled));
            return;
        }
        const auto expect_text = [&](const char* which, const at::Tensor& text) {
            const at::Tensor expected = reference_[at + which];
            ASSERT_EQ(text.sizes(), expected.sizes()) << which;
            const double error = length(text - expected) / length(expected);
            EXPECT_LE(error, 1e-5) << which;
            largest_ = std::max(largest_, error);
        };
        expect_text("sequence_out", ours.sequence);
        if (given.pooled.defined() && ours.pooled.defined()) expect_text("pooled_out", ours.pooled);
    }

    /// `rounds`: differences of numbers as large as the argument were taken on the way, in fp32.
    void compare(const Json& call, const std::string& at, const at::Tensor& ours, const at::Tensor& argument,
                 bool rounds) {
        const auto expected = call.at("expect").get<std::string>();
        ASSERT_EQ(ours.sizes(), argument.sizes());
        ASSERT_EQ(ours.scalar_type(), argument.scalar_type());
        const at::Tensor move = ours.to(at::kDouble) - argument.to(at::kDouble);
        if (expected == "same") {
            EXPECT_TRUE(ours.is_same(argument)) << "moved by " << length(move);
        } else if (expected == "equal") {
            EXPECT_TRUE(at::equal(ours, argument)) << "moved by " << length(move);
        } else if (expected == "still") {
            EXPECT_LE(length(move), 1e-6 * length(argument));
        } else {
            const at::Tensor reference = reference_[at + "move"];
            const double difference = length(move - reference);
            const double last_digit =
                rounds ? 1e-6 * length(argument) : std::numeric_limits<float>::epsilon() / 2 * length(ours);
            EXPECT_LE(difference, 1e-4 * length(reference) + last_digit)
                << "of a move of " << length(reference) << "; ours is " << length(move);
            largest_ = std::max(largest_, difference / length(reference));
        }
    }

    void report(const Json& call) const {
        if (!call.contains("radius")) return;
        const auto report = method_->report();
        ASSERT_TRUE(report.has_value());
        ASSERT_EQ(report->size(), count_);
        const auto& step = std::get<Repellency>(report->back());
        const auto radius = call.at("radius").get<double>();
        EXPECT_NEAR(step.radius.value(), radius, 1e-5 * radius);
        if (call.contains("active")) {
            EXPECT_NEAR(step.active.value(), call.at("active").get<double>(), 1e-6);
        }
    }

    const Reference& reference_ = Reference::get();
    const Json& description_;
    const std::string name_;
    const std::int64_t images_;
    const test::GivenVision vision_;
    std::vector<std::uint64_t> seeds_;
    const std::unique_ptr<Method> method_;
    std::size_t count_ = 0;
    double largest_ = 0;
};

void expect_as_reference(std::string_view method, std::size_t at_least) {
    const std::vector<Json> cases = Reference::get().cases(method);
    EXPECT_GE(cases.size(), at_least);
    double largest = 0;
    for (const Json& description : cases) {
        const auto name = description.at("name").get<std::string>();
        try {
            largest = std::max(largest, Replay(description).run());
        } catch (const std::exception& error) {
            ADD_FAILURE() << name << ": " << error.what();
        }
    }
    fmt::print("{}: {} cases, {:.1e}\n", method, cases.size(), largest);
}

TEST(RivalsParity, ParticleGuidance) {
    expect_as_reference("pg", 140);
}
TEST(RivalsParity, ParticleGuidanceByFeatures) {
    expect_as_reference("pg-features", 60);
}
TEST(RivalsParity, Spell) {
    expect_as_reference("spell", 150);
}
TEST(RivalsParity, Dpp) {
    expect_as_reference("dpp", 90);
}
TEST(RivalsParity, InitialNoise) {
    expect_as_reference("noise", 30);
}
TEST(RivalsParity, Cfg) {
    expect_as_reference("cfg", 9);
}
TEST(RivalsParity, Interval) {
    expect_as_reference("interval", 40);
    expect_as_reference("ig", 3);
}
TEST(RivalsParity, Cads) {
    expect_as_reference("cads", 45);
}

}  // namespace
}  // namespace gass
