#include "engine/plan_parts.h"
#include "io/png.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

#include <gass/engine.h>
#include <gass/group.h>

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <cmath>
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

void expect_wrong(const Request& request, const char* setting) {
    try {
        turbo().plan(request);
        ADD_FAILURE() << setting << " was taken";
    } catch (const Error& error) {
        EXPECT_EQ(error.setting(), setting) << error.what();
        EXPECT_EQ(error.code(), ErrorCode::usage);
    }
}

TEST(Plan, NamesTheSettingThatIsWrong) {
    const auto wrong = [](const char* setting, const std::function<void(Request&)>& change) {
        Request bad = request("a red car");
        change(bad);
        expect_wrong(bad, setting);
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

class StartPicture : public testing::Test {
  protected:
    StartPicture() {
        static const Image made = turbo().generate(turbo().plan(small("a red car", 1))).images.front();
        picture_ = made;
        write_png(file_, picture_, {});
    }

    /// Of small pictures, in many steps.
    static Request small(std::string prompt, std::int64_t images) {
        Request asked = request(std::move(prompt), images);
        asked.method = "none";
        asked.width = asked.height = 64;
        asked.steps = 20;
        return asked;
    }
    Request from_picture(double strength, std::int64_t images = 1) const {
        Request asked = small("a red car", images);
        asked.seed = 500;
        asked.start_image = StartImage{.file = file_.string(), .strength = strength};
        return asked;
    }
    /// The mean difference of a channel, 0 … 255.
    double distance(const Image& image) const {
        double sum = 0;
        for (std::size_t i = 0; i < image.rgb.size(); ++i)
            sum += std::abs(static_cast<double>(image.rgb[i]) - picture_.rgb.at(i));
        return sum / static_cast<double>(image.rgb.size());
    }

    test::TemporaryFolder folder_;
    std::filesystem::path file_ = folder_ / "car.png";
    Image picture_;
};

TEST_F(StartPicture, IsChangedAsMuchAsWasAskedFor) {
    std::vector<double> distances;
    for (const double strength : {0.01, 0.3, 0.6, 1.0}) {
        const Group group = turbo().generate(turbo().plan(from_picture(strength, 2)));
        distances.push_back(distance(group.images[0]));
        EXPECT_NE(group.images[0].rgb, group.images[1].rgb);
    }
    EXPECT_LT(distances[0], 15.0);
    EXPECT_TRUE(std::ranges::is_sorted(distances)) << testing::PrintToString(distances);
    EXPECT_GT(distances[3], 3 * distances[0]);
}

TEST_F(StartPicture, GivesTheSameImageAgainAndAlone) {
    const Plan plan = turbo().plan(from_picture(0.5, 3));
    const Group group = turbo().generate(plan);
    EXPECT_EQ(pixels_of(turbo().generate(plan)), pixels_of(group));
    EXPECT_EQ(pixels_of(turbo().generate(turbo().saved_plan(turbo().save(plan)))), pixels_of(group));
    Request alone = from_picture(0.5);
    alone.seed = 502;
    const Group one = turbo().generate(turbo().plan(alone));
    for (std::size_t i = 0; i < one.images[0].rgb.size(); ++i)
        ASSERT_LE(std::abs(one.images[0].rgb[i] - group.images[2].rgb[i]), 1);
}

TEST_F(StartPicture, StandsInThePlanAndInTheRecord) {
    const Plan plan = turbo().plan(from_picture(0.5, 2));
    EXPECT_EQ(plan.steps(), 20);
    EXPECT_EQ(plan.parts().schedule.steps.size(), 10U);
    EXPECT_EQ(turbo().cost(plan).evaluations, 20);
    const Record record = turbo().generate(plan).record;
    ASSERT_TRUE(record.start_image);
    EXPECT_EQ(record.start_image->file, file_.string());
    EXPECT_EQ(record.start_image->strength, 0.5);
    EXPECT_FALSE(record.start_image->hash.empty());

    // From the record it is asked for by its bytes.
    Request again = from_picture(0.5);
    again.start_image = record.start_image;
    EXPECT_EQ(turbo().plan(again).parts().start_image, record.start_image);
    picture_.rgb[0] ^= 1U;
    write_png(file_, picture_, {});
    test::expect_error(ErrorCode::model_invalid, "it has changed since", [&] { turbo().plan(again); });
}

TEST_F(StartPicture, MayHaveAnySize) {
    const Image wide{96, 16, std::vector<std::uint8_t>(std::size_t{96} * 16 * 3, 200)};
    write_png(file_, wide, {});
    const Group group = turbo().generate(turbo().plan(from_picture(0.01)));
    picture_ = {64, 64, std::vector<std::uint8_t>(std::size_t{64} * 64 * 3, 200)};
    EXPECT_LT(distance(group.images[0]), 12.0);
}

TEST_F(StartPicture, IsRefusedWhereItMakesNoSense) {
    const auto wrong = [&](const char* setting, const std::function<void(Request&)>& change) {
        Request bad = from_picture(0.5, 2);
        change(bad);
        expect_wrong(bad, setting);
    };
    wrong("denoise", [](Request& r) { r.start_image->strength = 0; });
    wrong("denoise", [](Request& r) { r.start_image->strength = 1.01; });
    wrong("denoise", [](Request& r) { r.start_image->strength = std::nan(""); });
    wrong("init_image", [](Request& r) { r.start_image->file = "absent.png"; });
    wrong("init_image", [](Request& r) { r.start_image->file = ""; });
    wrong("init_image", [&](Request& r) { r.start_image->file = folder_.path().string(); });
    wrong("init_image", [&](Request& r) { r.start_image->file = folder_.write("text.txt", "x").string(); });
    wrong("init_image", [&](Request& r) { r.start_image->file = folder_.write("a\xff.png", "x").string(); });
    wrong("method", [](Request& r) { r.method = "gass:candidates=4"; });
    wrong("method", [](Request& r) { r.method = "gass:candidates=2,scout_steps=0"; });
    Request damaged = from_picture(0.5);
    damaged.start_image->file = folder_.write("text.png", "no picture").string();
    test::expect_error(ErrorCode::model_invalid, "text.png",
                       [&] { turbo().generate(turbo().plan(damaged)); });
    // gass itself leaves the noise alone, unless it is told otherwise.
    Request spread = from_picture(0.5, 2);
    spread.method = "gass";
    EXPECT_EQ(turbo().plan(spread).seeds().size(), 2U);
}

TEST(Spread, IsMeasuredUnlessNobodyWantsIt) {
    Request asked = request("a red car");
    asked.width = asked.height = 64;
    asked.method = "none";
    const auto is_measured = [&] { return turbo().generate(turbo().plan(asked)).spread.has_value(); };
    EXPECT_TRUE(is_measured());
    EXPECT_FALSE(turbo().generate(turbo().plan(asked)).record.settings.guide);  // it decides no byte
    asked.measure = true;
    EXPECT_TRUE(is_measured());
    asked.measure = false;
    EXPECT_FALSE(is_measured());
    EXPECT_FALSE(turbo().generate(turbo().saved_plan(turbo().save(turbo().plan(asked)))).spread);
}

TEST(Spread, NeedsNoGuideUnlessOneIsNamed) {
    const Engine without({.model = "mini-turbo", .guide = "no-such-model"});
    Request asked = request("a red car");
    asked.method = "none";
    test::expect_error(ErrorCode::model_not_found, "no-such-model", [&] { without.plan(asked); });
    asked.measure = false;
    EXPECT_NO_THROW(without.plan(asked));
}

TEST(Axes, TellWhereEachImageLies) {
    Request asked = request("a red car", 3);
    asked.width = asked.height = 64;
    EXPECT_TRUE(turbo().generate(turbo().plan(asked)).images[0].axis_places.empty());
    asked.vary = "at night|at noon; red|blue";
    const Group group = turbo().generate(turbo().plan(asked));
    for (std::size_t axis = 0; axis < 2; ++axis) {
        std::vector<double> places;
        for (const GroupImage& image : group.images) places.push_back(image.axis_places.at(axis));
        std::ranges::sort(places);
        EXPECT_EQ(places, (std::vector<double>{-1, 0, 1}));
    }
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
