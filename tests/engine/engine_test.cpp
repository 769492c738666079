#include "engine/plan_parts.h"
#include "support/expect_error.h"

#include <gass/engine.h>
#include <gass/group.h>

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace gass {
namespace {

/// The smallest model: four steps, a second for eight images.
const Engine& turbo() {
    static const Engine engine({.model = "mini-turbo"});
    return engine;
}

Request request(std::string prompt, std::int64_t images = 2) {
    Request result{.prompt = std::move(prompt), .images = images};
    result.seed = 3;
    return result;
}

std::vector<std::vector<std::uint8_t>> pixels_of(const Group& group) {
    std::vector<std::vector<std::uint8_t>> pixels;
    for (const GroupImage& image : group.images) pixels.push_back(image.rgb);
    return pixels;
}

TEST(Plan, HasEverythingDecided) {
    const Plan plan = turbo().plan({.prompt = "a red car", .images = 3});
    EXPECT_EQ(plan.prompt(), "a red car");
    EXPECT_EQ(plan.images(), 3);
    EXPECT_EQ(plan.steps(), 4);  // of the model's gass.json
    EXPECT_EQ(plan.method_name(), "gass");
    EXPECT_EQ(plan.seeds().front(), 42U);
    EXPECT_GE(plan.seeds().size(), 3U);
    EXPECT_EQ(plan.method(), turbo().plan({.prompt = "a dog", .images = 3}).method());
    EXPECT_GT(turbo().cost(plan).evaluations, 0);
}

TEST(Plan, TakesListedSeedsAsTheyAre) {
    Request listed{.prompt = "x", .seeds = {7, 9}};
    EXPECT_EQ(turbo().plan(listed).images(), 2);
    EXPECT_EQ(turbo().plan(listed).seeds(), listed.seeds);
    listed.images = 1;
    listed.method = "none";
    test::expect_error(ErrorCode::usage, "[`seeds`] 2 seeds for 1 image", [&] { turbo().plan(listed); });
    listed.seeds_go_on = true;
    EXPECT_EQ(turbo().plan(listed).seeds(), std::vector<std::uint64_t>{7});
    listed.images = 3;
    test::expect_error(ErrorCode::usage, "[`seeds`] 2 seeds for 3 images", [&] { turbo().plan(listed); });
}

TEST(Plan, IsTheSameAfterItWasSaved) {
    Request asked = request("a {red|blue} car", 3);
    asked.method = "cads:scale=0.2+gass";
    asked.strength = 0.3;
    asked.negative_prompt = "rain";
    asked.vary = "at night|at noon";
    const Plan plan = turbo().plan(asked);
    const Plan again = turbo().saved_plan(turbo().save(plan));
    EXPECT_EQ(turbo().save(again), turbo().save(plan));
    EXPECT_EQ(again.method(), plan.method());
    EXPECT_EQ(again.seeds(), plan.seeds());
    EXPECT_EQ(pixels_of(turbo().generate(again)), pixels_of(turbo().generate(plan)));

    asked = request("a red car", 3);
    asked.target = Target::parse("vendi=x1.2");
    const Plan aimed = turbo().saved_plan(turbo().save(turbo().plan(asked)));
    ASSERT_TRUE(aimed.parts().target);
    EXPECT_EQ(aimed.parts().target->text(), "vendi=x1.2");
    test::expect_error(ErrorCode::model_invalid, "plan", [] { turbo().saved_plan("{}"); });
    test::expect_error(ErrorCode::model_invalid, "plan", [] { turbo().saved_plan("no plan"); });
}

TEST(Plan, NamesTheSettingThatIsWrong) {
    const auto wrong = [](const char* setting, const std::function<void(Request&)>& change) {
        Request bad = request("a red car");
        change(bad);
        try {
            turbo().plan(bad);
            ADD_FAILURE() << setting << " was taken";
        } catch (const Error& error) {
            EXPECT_EQ(error.setting(), setting) << error.what();
            EXPECT_EQ(error.code(), ErrorCode::usage);
        }
    };
    wrong("width", [](Request& r) { r.width = 24; });
    wrong("steps", [](Request& r) { r.steps = 0; });
    wrong("images", [](Request& r) { r.images = 5000; });
    wrong("cfg_scale", [](Request& r) { r.cfg_scale = -1; });
    wrong("method", [](Request& r) { r.method = "gass+gass"; });
    wrong("strength", [](Request& r) { r.strength = 2; });
    wrong("strength", [](Request& r) { r.method = "none", r.strength = 0.5; });
    wrong("vary", [](Request& r) { r.method = "none", r.vary = "day|night"; });
    wrong("vary", [](Request& r) { r.vary = "day"; });
    wrong("shield", [](Request& r) { r.shield = "nowhere"; });
    wrong("seeds", [](Request& r) { r.seeds = {1, kMaxSeed + 1}; });
    wrong("seed", [](Request& r) { r.seed = static_cast<std::int64_t>(kMaxSeed); });
    wrong("variation_strength", [](Request& r) { r.variation = Variation{1, 1.5}; });
    wrong("target", [](Request& r) { r.method = "none", r.target = Target::parse("vendi=2"); });
    wrong("target",
          [](Request& r) { r.method = "gass", r.strength = 0.5, r.target = Target::parse("vendi=x1.2"); });
    wrong("prompt", [](Request& r) { r.prompt = "a\xff"; });
    wrong("sampling_method", [](Request& r) { r.sampling_method = "euler a"; });
}

TEST(Request, WithAnotherMethodLeavesOutWhatThatDoesNotTake) {
    Request common{.prompt = "x", .strength = 0.7, .vary = "day|night", .shield = "pictures"};
    const Request plain = with_method(common, "none");
    EXPECT_EQ(plain.strength, std::nullopt);
    EXPECT_EQ(plain.vary, std::nullopt);
    EXPECT_EQ(plain.shield, std::nullopt);
    EXPECT_EQ(with_method(common, "gass").vary, "day|night");
    EXPECT_EQ(with_method(common, "gass+spell").shield, "pictures");
}

TEST(Engine, GivesTheSameBytesFromManyThreads) {
    const std::vector<std::string> prompts{"a red car", "a dog", "a red car", "a house"};
    std::vector<Plan> plans;
    std::vector<std::vector<std::vector<std::uint8_t>>> alone;
    for (std::size_t i = 0; i < prompts.size(); ++i) {
        Request one = request(prompts[i], 2 + static_cast<std::int64_t>(i % 2));
        one.strength = 0.25 * static_cast<double>(i);
        plans.push_back(turbo().plan(one));
        alone.push_back(pixels_of(turbo().generate(plans.back())));
    }
    std::vector<std::vector<std::vector<std::uint8_t>>> together(prompts.size());
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < plans.size(); ++i)
            threads.emplace_back([&, i] { together[i] = pixels_of(turbo().generate(plans[i])); });
    }
    EXPECT_EQ(together, alone);
}

TEST(Engine, LoadsOnceForAllThreads) {
    const Engine fresh({.model = "mini-turbo"});
    const Plan plan = fresh.plan(request("a red car"));
    std::vector<std::vector<std::vector<std::uint8_t>>> made(3);
    {
        std::vector<std::jthread> threads;
        for (auto& own : made) threads.emplace_back([&] { own = pixels_of(fresh.generate(plan)); });
    }
    EXPECT_EQ(made[1], made[0]);
    EXPECT_EQ(made[2], made[0]);
    EXPECT_EQ(made[0], pixels_of(turbo().generate(plan)));
}

TEST(Engine, LetsNobodyWaitForAnothersEnd) {
    // Each notes its steps; whoever comes last has its first before anybody has its last.
    std::mutex mutex;
    std::string order;
    std::atomic<int> begun = 0;
    const Plan plan = turbo().plan(request("a red car"));
    {
        std::vector<std::jthread> threads;
        for (const char name : {'a', 'b', 'c'}) {
            threads.emplace_back([&, name] {
                Events events;
                events.progress = [&](std::string_view phase, std::size_t done, std::size_t) {
                    if (phase != "denoise") return;
                    if (done == 0) {
                        // Nobody goes ahead before all have come.
                        ++begun;
                        while (begun < 3) std::this_thread::yield();
                        return;
                    }
                    const std::lock_guard lock(mutex);
                    order += name;
                };
                turbo().generate(plan, events);
            });
        }
    }
    ASSERT_EQ(order.size(), 12U) << order;
    for (const char early : {'a', 'b', 'c'}) {
        for (const char late : {'a', 'b', 'c'}) EXPECT_LT(order.find(early), order.rfind(late)) << order;
    }
}

TEST(Engine, StopsOneAndLeavesTheOthersAlone) {
    const Plan plan = turbo().plan(request("a red car"));
    const auto alone = pixels_of(turbo().generate(plan));
    std::vector<std::vector<std::uint8_t>> other;
    {
        const std::jthread goes_on([&] { other = pixels_of(turbo().generate(plan)); });
        Events events;
        std::atomic<std::size_t> steps = 0;
        events.progress = [&](std::string_view, std::size_t done, std::size_t) { steps = done; };
        events.should_stop = [&] { return steps >= 2; };
        test::expect_error(ErrorCode::interrupted, "stopped after step 2",
                           [&] { turbo().generate(plan, events); });
    }
    EXPECT_EQ(other, alone);
}

TEST(Engine, SurvivesACallbackThatThrows) {
    const Plan plan = turbo().plan(request("a red car"));
    Events events;
    events.progress = [](std::string_view, std::size_t, std::size_t) { throw std::runtime_error("mine"); };
    EXPECT_THROW(turbo().generate(plan, events), std::runtime_error);
    EXPECT_EQ(turbo().generate(plan).images.size(), 2U);
}

TEST(Engine, IsUsableAfterMemoryRanOut) {
    Request huge = request("a red car", 1024);
    huge.width = huge.height = 16384;
    try {
        turbo().generate(turbo().plan(huge));
        ADD_FAILURE() << "there cannot be so much memory";
    } catch (const Error& error) {
        EXPECT_THAT(error.code(), testing::AnyOf(ErrorCode::out_of_memory, ErrorCode::usage));
    }
    EXPECT_EQ(turbo().generate(turbo().plan(request("a dog"))).images.size(), 2U);
}

TEST(Engine, GivesNetworksUpOnlyBetweenGroupsThatShareThem) {
    EngineOptions options{.model = "mini-turbo", .offload_to_cpu = true};
    const Engine offloading(options);
    const Plan plan = offloading.plan(request("a red car"));
    std::vector<std::vector<std::vector<std::uint8_t>>> made(2);
    {
        std::vector<std::jthread> threads;
        for (auto& own : made) threads.emplace_back([&] { own = pixels_of(offloading.generate(plan)); });
    }
    EXPECT_EQ(made[0], pixels_of(turbo().generate(plan)));
    EXPECT_EQ(made[1], made[0]);
}

TEST(Engine, ShowsPreviewsAndTellsWhatItDid) {
    const Plan plan = turbo().plan(request("a red car", 3));
    Events events;
    std::vector<std::size_t> shown;
    events.preview_interval = 2;
    events.preview = [&](const std::vector<Image>& images, std::size_t step) {
        EXPECT_EQ(images.size(), 3U);
        shown.push_back(step);
    };
    const Group group = turbo().generate(plan, events);
    EXPECT_EQ(shown, std::vector<std::size_t>{2});
    EXPECT_EQ(group.record.prompt, "a red car");
    EXPECT_EQ(group.record.seeds, plan.seeds());
    ASSERT_TRUE(group.spread);
    EXPECT_GT(group.spread->vendi.value(), 1.0);
    for (const GroupImage& image : group.images) {
        EXPECT_EQ(image.seed, plan.seeds()[image.place]);
        EXPECT_EQ(image.rgb.size(), std::size_t{3} * image.width * image.height);
    }
}

}  // namespace
}  // namespace gass
