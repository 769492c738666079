#include "eval/making/evaluation.h"

#include "core/fail.h"
#include "eval/making/suite_of_models.h"
#include "eval/run/fake_network.h"
#include "eval/run/identity.h"
#include "eval/run/store.h"
#include "io/file.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <thread>

namespace gass::eval {
namespace {

using test::expect_error;
using ::testing::ElementsAre;

/// An evaluation of two prompts by one small model, with a folder to run in.
class EvaluationTest : public ::testing::Test {
  protected:
    EvaluationTest() {
        Json suite = suite_of_models();
        suite["settings"]["threads"] = 1;
        suite["models"].erase("flow");
        suite["methods"].erase("both");
        suite["prompts"]["list"].push_back("a bird");
        request_.suite = folder_.write("small.json", suite.dump()).string();
        request_.folder = folder_ / "run";
    }

    EvaluationResult evaluated() const { return evaluate(request_, settings_over, {}); }
    /// Groups that are still to make.
    std::size_t left() const { return plan_evaluation(request_, settings_over).groups_left; }
    Json group_of(const std::string& method) const {
        const auto file = request_.folder / "pictures/unet" / method / "00000-00/group.json";
        return parse_json(read_text_file(file), file.string());
    }

    test::TemporaryFolder folder_;
    EvaluationRequest request_;
};

TEST_F(EvaluationTest, PlansRunsAndGoesOn) {
    EvaluationPlan plan = plan_evaluation(request_, settings_over);
    EXPECT_EQ(plan.suite, "small");
    EXPECT_EQ(plan.groups, 4U);
    EXPECT_EQ(plan.images, 8U);
    EXPECT_EQ(plan.groups_left, 4U);
    EXPECT_FALSE(std::filesystem::exists(request_.folder));

    request_.overrides.only_methods = {"none"};
    request_.checks = {"none.vendi >= 1"};
    std::vector<std::string> events;
    const EvaluationResult result =
        evaluate(request_, settings_over,
                 {.started = [&](const Suite& suite) { events.push_back(suite.name); },
                  .progress =
                      [&](std::string_view phase, std::size_t done, std::size_t total) {
                          events.push_back(fmt::format("{} {}/{}", phase, done, total));
                      },
                  .failed = [&](const Failure& failure) { events.push_back(failure.reason); },
                  .settled = [&](std::size_t groups,
                                 const RunTimes&) { events.push_back(fmt::format("settled {}", groups)); },
                  .should_stop = {}});
    EXPECT_THAT(events,
                ElementsAre("small", "groups 0/2", "groups 1/2", "groups 2/2", "settled 2", "measure 1/1"));
    EXPECT_EQ(result.results->done, 2U);
    ASSERT_EQ(result.checks.size(), 1U);
    EXPECT_TRUE(result.checks[0].holds);
    EXPECT_TRUE(std::filesystem::exists(request_.folder / "report.html"));

    request_.overrides.only_methods = {"none", "gass"};  // said again, or the run is as it was
    plan = plan_evaluation(request_, settings_over);
    EXPECT_EQ(plan.groups, 4U);
    EXPECT_EQ(plan.groups_left, 2U);
    EXPECT_EQ(plan.images_left, 4U);
    request_.report_only = true;
    EXPECT_EQ(evaluated().results->done, 2U);
    request_.report_only = false;
    request_.resume = true;
    EXPECT_EQ(evaluated().results->done, 4U);
    EXPECT_EQ(left(), 0U);
}

TEST_F(EvaluationTest, GathersWhatShardsHaveMade) {
    for (std::size_t index : {0U, 1U}) {
        request_.shard = Shard{index, 2};
        const EvaluationResult result = evaluated();
        EXPECT_EQ(result.groups, 2U);
        EXPECT_FALSE(result.results);
        EXPECT_EQ(left(), 0U);
    }
    request_.shard = {};
    EXPECT_EQ(left(), 0U);
    bool is_making = false;
    const EvaluationResult result =
        evaluate(request_, settings_over,
                 {.started = {},
                  .progress = [&](std::string_view phase, std::size_t,
                                  std::size_t) { is_making = is_making || phase == "groups"; },
                  .failed = {},
                  .settled = [&](std::size_t, const RunTimes&) { is_making = true; },
                  .should_stop = {}});
    EXPECT_FALSE(is_making);
    EXPECT_EQ(result.results->done, 4U);
}

TEST_F(EvaluationTest, TouchesNoFolderThatIsAnothers) {
    request_.report_only = true;
    expect_error(ErrorCode::model_not_found, "there is no run in", [&] { evaluated(); });
    request_.report_only = false;
    folder_.write("run/report.md", "mine");
    expect_error(ErrorCode::usage, "report.md exists already", [&] { evaluated(); });
    EXPECT_EQ(left(), 4U);
    std::filesystem::remove(request_.folder / "report.md");
    request_.overrides.only_methods = {"none"};
    evaluated();
    expect_error(ErrorCode::usage, "holds a run already", [&] { evaluated(); });
}

TEST_F(EvaluationTest, RefusesWhatItCannotRunBeforeItMakesAnything) {
    const auto another = [](const Json& object, std::string_view origin) {
        Settings settings = settings_over(object, origin);
        settings.set_text(SettingLayer::flag, *find_setting("model"), "mini-flow", "here");
        return settings;
    };
    expect_error(ErrorCode::usage, "`model` unet=MODEL", [&] { evaluate(request_, another, {}); });
    request_.checks = {"nobody.vendi > 1"};
    expect_error(ErrorCode::usage, "nobody", [&] { evaluated(); });
    request_.suite = "";
    expect_error(ErrorCode::usage, "which suite?", [&] { evaluated(); });
    EXPECT_FALSE(std::filesystem::exists(request_.folder));
}

/// What a user has who says --images.
SettingsOver with_images(int images) {
    return [images](const Json& object, std::string_view origin) {
        Settings settings = settings_over(object, origin);
        settings.set(SettingLayer::flag, "images", images);
        return settings;
    };
}

TEST_F(EvaluationTest, ARunKnowsHowItWasMade) {
    request_.overrides.limit = 1;
    EXPECT_EQ(evaluate(request_, with_images(1), {}).results->done, 2U);
    std::filesystem::remove(request_.suite);

    EvaluationRequest again{.folder = request_.folder};
    expect_error(ErrorCode::usage, "holds a run already: `resume` continues it",
                 [&] { evaluate(again, settings_over, {}); });
    EXPECT_EQ(plan_evaluation(again, settings_over).groups_left, 0U);
    again.report_only = true;
    EvaluationResult result = evaluate(again, settings_over, {});
    EXPECT_EQ(result.results->done, 2U);
    EXPECT_EQ((*made_with(*result.results, "unet"))["images"], 1);
    EXPECT_EQ(result.results->suite.further_prompts.size(), 1U);

    again.report_only = false;
    again.resume = true;
    expect_error(ErrorCode::usage, "was made with `images` 1 on unet, not 2",
                 [&] { evaluate(again, with_images(2), {}); });
    EXPECT_EQ(plan_evaluation(again, with_images(1)).groups_left, 0U);
    again.overrides.limit = 2;
    EXPECT_EQ(evaluate(again, settings_over, {}).results->done, 4U);
    again.overrides.limit = 0;
    EXPECT_EQ(plan_evaluation(again, settings_over).prompts, 2U);
    again.overrides.limit = 1;
    expect_error(ErrorCode::usage, "has 2 prompts: give it as many or more",
                 [&] { evaluate(again, settings_over, {}); });
    EXPECT_EQ(group_of("none").at("settings").at("images"), 1);
}

TEST_F(EvaluationTest, AStoreThatRemembersNothingNeedsTheFlagsItWasMadeWith) {
    evaluate(request_, with_images(1), {});
    Database(request_.folder / Store::kFile, 1000).execute("DROP TABLE remembered");
    const EvaluationRequest nameless{.folder = request_.folder, .report_only = true};
    expect_error(ErrorCode::usage, "which suite? there is no run in",
                 [&] { evaluate(nameless, settings_over, {}); });
    request_.report_only = true;
    expect_error(ErrorCode::usage, "none of the 4 groups in", [&] { evaluated(); });
    request_.overrides.limit = 1;
    const std::string report = read_text_file(request_.folder / "report.md");
    expect_error(ErrorCode::usage, "is of 4 groups, and this one would be of 2 only: it stays as it is",
                 [&] { evaluate(request_, with_images(1), {}); });
    EXPECT_EQ(read_text_file(request_.folder / "report.md"), report);
    request_.overrides.limit = 0;
    EXPECT_EQ(evaluate(request_, with_images(1), {}).results->done, 4U);
    EXPECT_EQ(evaluate(nameless, settings_over, {}).results->done, 4U);  // it has learned
}

TEST_F(EvaluationTest, ShardsKnowTheirRun) {
    for (std::size_t index : {0U, 1U}) {
        request_.shard = Shard{index, 2};
        evaluate(request_, with_images(1), {});
    }
    const EvaluationRequest gathering{.folder = request_.folder};
    EXPECT_EQ(evaluate(gathering, settings_over, {}).results->done, 4U);
    std::filesystem::remove_all(request_.folder / "shard-1-of-2");
    request_.shard = Shard{1, 2};
    evaluated();
    const EvaluationRequest reporting{.folder = request_.folder, .report_only = true};
    expect_error(ErrorCode::usage, "was made with `images` 2 on unet, not 1",
                 [&] { evaluate(reporting, settings_over, {}); });
}

// As a run made on a GPU is, on a machine without one.
TEST_F(EvaluationTest, ARunOfAnotherDeviceIsReportedAndNotGoneOnWith) {
    Json suite = parse_json(read_text_file(request_.suite), "suite");
    for (const char* key : {"device", "dtype"}) suite["settings"].erase(key);
    folder_.write("small.json", suite.dump());
    evaluated();
    const std::optional<Json> before = Store::remembered(request_.folder);
    Json elsewhere = *before;
    elsewhere["settings"]["unet"].update({{"device", "cuda"}, {"dtype", "fp16"}});
    for (Json& recipe : elsewhere["recipes"]["unet"])
        recipe["settings"].update({{"device", "cuda"}, {"dtype", "fp16"}});
    Store(request_.folder).remember(elsewhere, before);
    const EvaluationRequest again{.folder = request_.folder, .resume = true};
    EXPECT_EQ(plan_evaluation(again, settings_over).groups_left, 4U);
    expect_error(ErrorCode::usage, "[`device`] 4 groups are left to make, and the run in",
                 [&] { evaluate(again, settings_over, {}); });
    EXPECT_EQ(Store::remembered(request_.folder), elsewhere);
}

TEST_F(EvaluationTest, StopsWhenItIsTold) {
    bool stops = false;
    expect_error(ErrorCode::interrupted, "1 of 4 groups left to make", [&] {
        evaluate(request_, settings_over,
                 {.started = {},
                  .progress = [&](std::string_view, std::size_t done, std::size_t) { stops = done == 3; },
                  .failed = {},
                  .settled = {},
                  .should_stop = [&] { return stops; }});
    });
    EXPECT_EQ(left(), 1U);
}

// A setting that decides the bytes of a group and does not identify it would let a store pass off other
// groups for those that are asked for.
TEST_F(EvaluationTest, EverySettingOfARecordIdentifiesItsGroupOrIsKnownNotTo) {
    const std::set<std::string> elsewhere{"model", "threads", "max_batch"};
    evaluated();
    for (const char* method : {"none", "gass"}) {
        const Json group = group_of(method);
        const Json identity = identity_of(group, "guide");
        EXPECT_EQ(identity.at("fingerprint"), group.at("fingerprint"));
        for (const auto& [key, value] : group.at("settings").items())
            EXPECT_NE(identity.at("settings").contains(key), elsewhere.contains(key))
                << key << ": add it to src/eval/run/identity.cpp if it decides a group's bytes, else here";
    }
}

TEST_F(EvaluationTest, RanksShareTheMachineAndTheWork) {
    const auto all_cores = [](const Json& object, std::string_view origin) {
        Settings settings = settings_over(object, origin);
        settings.set_text(SettingLayer::flag, *find_setting("threads"), "0", "here");
        return settings;
    };
    FakeNetwork network(2);
    std::optional<ErrorCode> refusal = ErrorCode::failure;
    std::thread other([&] {
        FakeNetwork::Rank rank(network, 1);
        refusal = help_evaluation(request_, all_cores, {}, rank);
    });
    FakeNetwork::Rank rank(network, 0);
    const EvaluationResult result = evaluate(request_, all_cores, {}, &rank);
    other.join();
    EXPECT_FALSE(refusal);
    EXPECT_EQ(result.results->done, 4U);
    const auto cores = std::thread::hardware_concurrency();
    EXPECT_EQ(group_of("gass").at("settings").at("threads"), std::max(cores / 2, 1U));
}

TEST_F(EvaluationTest, RanksLearnFromTheFirstWhatTheRunKnows) {
    request_.overrides.limit = 1;
    evaluate(request_, with_images(1), {});
    FakeNetwork network(2);
    EvaluationRequest again{.overrides = {.limit = 2}, .folder = request_.folder, .resume = true};
    std::optional<ErrorCode> refusal = ErrorCode::failure;
    std::thread other([&] {
        FakeNetwork::Rank rank(network, 1);
        EvaluationRequest elsewhere = again;
        elsewhere.folder = folder_ / "another machine";
        refusal = help_evaluation(elsewhere, settings_over, {}, rank);
    });
    FakeNetwork::Rank rank(network, 0);
    const EvaluationResult result = evaluate(again, settings_over, {}, &rank);
    other.join();
    EXPECT_FALSE(refusal);
    EXPECT_EQ(result.results->done, 4U);
}

TEST_F(EvaluationTest, ARankThatCannotHelpSaysWhy) {
    FakeNetwork network(2);
    std::optional<ErrorCode> refusal;
    std::thread other([&] {
        FakeNetwork::Rank rank(network, 1);
        const auto broken = [](const Json&, std::string_view) -> Settings {
            fail(ErrorCode::io, "there", "no such disk");
        };
        refusal = help_evaluation(request_, broken, {}, rank);
    });
    FakeNetwork::Rank rank(network, 0);
    const auto slowly = [&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        return false;
    };
    expect_error(ErrorCode::failure, "rank 1: [there] no such disk", [&] {
        evaluate(request_, settings_over,
                 {.started = {}, .progress = {}, .failed = {}, .settled = {}, .should_stop = slowly}, &rank);
    });
    other.join();
    EXPECT_EQ(refusal, ErrorCode::io);
}

}  // namespace
}  // namespace gass::eval
