#include "eval/run/remembered_run.h"

#include "eval/run/run_contradiction.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

#include <gmock/gmock.h>

#include <filesystem>

namespace gass::eval {
namespace {

using test::expect_error;
using ::testing::ElementsAre;

Json small_suite() {
    return {{"title", "Small"},
            {"settings", {{"images", 6}, {"steps", 8}}},
            {"models",
             {{"flow", {{"settings", {{"model", "mini-flow"}}}}},
              {"unet", {{"settings", {{"model", "mini-unet"}}}}}}},
            {"methods", {{"none", {{"method", "none"}}}, {"gass", {{"method", "gass"}}}}},
            {"baseline", "none"},
            {"prompts", {{"list", {"a car", {{"prompt", "a photo of a dog"}, {"class", "dog"}}, "a bird"}}}},
            {"metrics", {{"vendi", {{"metric", "vendi"}, {"encoder", "pixels"}}}}}};
}

/// Runs that are remembered and asked for again, without any images.
class RememberedRunTest : public ::testing::Test {
  protected:
    std::string suite(const Json& json = small_suite()) const {
        return folder_.write("small.json", json.dump()).string();
    }

    static std::vector<std::vector<Recipe>> recipes_of(const Suite& suite, const Json& settings) {
        std::vector<std::vector<Recipe>> recipes(suite.models.size());
        for (std::vector<Recipe>& methods : recipes) {
            for (const SuiteMethod& method : suite.methods) {
                Json own = settings;
                own["method"] = method.id;
                methods.push_back({.identity = {{"gass", "1"}, {"fingerprint", "f"}, {"settings", own}}});
            }
        }
        return recipes;
    }

    /// As a run of that suite remembers itself, when it was made with 3 images in `steps`.
    RememberedRun run(const SuiteOverrides& overrides = {}, int steps = 8) const {
        const RequestedSuite requested = requested_suite(suite(), overrides, nullptr);
        const Json settings{{"images", 3}, {"steps", steps}, {"device", "cpu"}};
        const RememberedRun made =
            remembered_run(requested, std::vector(requested.suite.models.size(), settings),
                           recipes_of(requested.suite, settings));
        return read_remembered_run(to_json(made), "run");
    }

    test::TemporaryFolder folder_;
};

std::vector<std::string> texts_of(const Suite& suite) {
    std::vector<std::string> texts;
    for (const SuitePrompt& prompt : suite.prompts) texts.push_back(prompt.text);
    return texts;
}

TEST_F(RememberedRunTest, TakesFromTheRunWhatNobodySays) {
    const RememberedRun before = run({.limit = 2, .only_methods = {"none"}});
    std::filesystem::remove(folder_ / "small.json");
    const Suite same = requested_suite("", {}, &before).suite;
    EXPECT_EQ(same.name, "small");
    EXPECT_THAT(texts_of(same), ElementsAre("a car", "a photo of a dog"));
    EXPECT_EQ(same.prompts[1].name, "dog");
    EXPECT_EQ(same.further_prompts.size(), 1U);
    ASSERT_EQ(same.methods.size(), 1U);
    EXPECT_EQ(requested_suite(suite(), {}, &before).suite.methods.size(), 1U);

    const Suite longer = requested_suite("", {.limit = 3, .only_methods = {"none", "gass"}}, &before).suite;
    EXPECT_EQ(longer.prompts[2].text, "a bird");
    EXPECT_EQ(longer.prompts[2].index, 2U);
    EXPECT_EQ(longer.methods.size(), 2U);
}

TEST_F(RememberedRunTest, KeepsPromptsAndPlacesThatTheUserNamed) {
    Json needy = small_suite();
    needy["prompts"] = {{"needed", "a list"}, {"template", "A {label}."}, {"limit", 2}};
    const auto file = folder_.write("mine.txt", "red_car\nblue dog\nbird\n");
    const auto place = folder_ / "model";
    std::filesystem::create_directory(place);
    const RequestedSuite asked = requested_suite(
        suite(needy), {.prompt_file = file.string(), .models = {"flow=" + place.string() + "/."}}, nullptr);
    const RememberedRun before =
        read_remembered_run(to_json(remembered_run(asked, {Json::object(), Json::object()},
                                                   recipes_of(asked.suite, Json::object()))),
                            "run");
    std::filesystem::remove(file);
    for (const std::string& name : {std::string(), suite(needy)}) {
        const Suite again = requested_suite(name, {}, &before).suite;
        EXPECT_THAT(texts_of(again), ElementsAre("A red car.", "A blue dog."));
        EXPECT_EQ(again.further_prompts.size(), 1U);
        EXPECT_EQ(again.find_model("flow")->settings["model"], place.string() + "/");
        EXPECT_EQ(again.find_model("unet")->settings["model"], "mini-unet");
    }
    const Suite moved = requested_suite("", {.models = {"flow=elsewhere"}}, &before).suite;
    EXPECT_EQ(moved.find_model("flow")->settings["model"], "elsewhere");
}

TEST_F(RememberedRunTest, SettingsAreThoseOfTheRunUnlessTheSuiteHasChanged) {
    const RememberedRun before = run({}, 3);
    EXPECT_EQ(settings_below(requested_suite("", {}, &before).suite, 0, &before),
              Json({{"images", 3}, {"steps", 3}, {"model", "mini-flow"}, {"device", "cpu"}}));
    Json changed = small_suite();
    changed["models"]["flow"]["settings"]["steps"] = 10;
    const Suite suite_now = requested_suite(suite(changed), {}, &before).suite;
    EXPECT_EQ(settings_below(suite_now, 0, &before)["steps"], 10);
    EXPECT_EQ(settings_below(suite_now, 0, &before)["images"], 3);
    EXPECT_EQ(settings_below(suite_now, 1, &before)["steps"], 3);
    EXPECT_EQ(settings_below(suite_now, 0, nullptr)["images"], 6);
}

TEST_F(RememberedRunTest, RefusesLessThanTheRunHas) {
    const RememberedRun before = run({.limit = 2});
    const auto expect_refusal = [&](const std::string& part, const SuiteOverrides& overrides) {
        expect_error(ErrorCode::usage, part, [&] { requested_suite("", overrides, &before); });
    };
    expect_refusal("[`limit`] the run in run has 2 prompts: give it as many or more", {.limit = 1});
    expect_refusal("[`only_methods`] the run in run has none,gass, and its report would lose gass",
                   {.only_methods = {"none"}});
    expect_refusal("[`only_models`] the run in run has flow,unet", {.only_models = {"unet"}});
}

TEST_F(RememberedRunTest, RefusesTheSuiteOfAnotherRun) {
    const RememberedRun before = run({.only_methods = {"gass"}});
    const auto expect_refusal = [&](const std::string& part, const Json& patch) {
        Json json = small_suite();
        json.merge_patch(patch);
        const std::string file = suite(json);
        expect_error(ErrorCode::usage, "[`output`] run holds another run: " + part,
                     [&] { requested_suite(file, {}, &before); });
    };
    expect_refusal("small has no method \"gass\"", {{"methods", {{"gass", nullptr}}}});
    expect_refusal("small has no model \"unet\"", {{"models", {{"unet", nullptr}}}});
    expect_refusal(
        "its prompt 3 is \"a bird\", not \"a fish\"",
        {{"prompts", {{"list", {"a car", {{"prompt", "a photo of a dog"}, {"class", "dog"}}, "a fish"}}}}});
    expect_refusal("it has 3 prompts, not 1", {{"prompts", {{"list", {"a car"}}}}});
    expect_refusal("its seed is 0, not 7", {{"seed", 7}});
    const auto file = folder_.write("mine.txt", "a cat\n");
    expect_error(ErrorCode::usage, "its prompt 1 is \"a car\", not \"a cat\"",
                 [&] { requested_suite("", {.prompt_file = file.string()}, &before); });
}

TEST_F(RememberedRunTest, RefusesOtherRecipes) {
    const RememberedRun before = run();
    const Suite suite_now = requested_suite("", {}, &before).suite;
    const auto expect_refusal = [&](const std::string& part, const Json& patch,
                                    const std::string& origin = "--steps") {
        auto recipes = recipes_of(suite_now, {{"images", 3}, {"steps", 8}, {"device", "cpu"}});
        check_recipes(before, suite_now, recipes, [](std::size_t, std::string_view) { return ""; });
        recipes[1][0].identity.merge_patch(patch);
        expect_error(ErrorCode::usage, part, [&] {
            check_recipes(before, suite_now, recipes, [&](std::size_t model, std::string_view) {
                EXPECT_EQ(model, 1U);
                return origin;
            });
        });
    };
    expect_refusal("[`steps`] the run in run was made with `steps` 8 on unet, not 9",
                   {{"settings", {{"steps", 9}}}});
    expect_refusal("[GASS_STEPS] the run in run was made with `steps` 8 on unet, not 9",
                   {{"settings", {{"steps", 9}}}}, "GASS_STEPS");
    expect_refusal("was made with `negative_prompt` none on unet, not \"dull\"",
                   {{"settings", {{"negative_prompt", "dull"}}}});
    expect_refusal("its method none is \"none\" on unet, not \"cads\"", {{"settings", {{"method", "cads"}}}});
    expect_refusal("saw unet by a guide of other weights", {{"settings", {{"guide", "g"}}}});
    expect_refusal("made by gass \"1\"", {{"gass", "2"}});
    expect_refusal("its model unet has other weights", {{"fingerprint", "g"}});
    expect_refusal("its shield is another", {{"shield", {"a.png"}}});
}

TEST_F(RememberedRunTest, RefusesWhatItDidNotWrite) {
    const Json good = to_json(run());
    const auto expect_refusal = [&](const std::string& part, const Json& patch) {
        Json json = good;
        json.merge_patch(patch);
        expect_error(ErrorCode::model_invalid, part, [&] { read_remembered_run(json, "run"); });
    };
    expect_refusal("\"suite\"", {{"suite", 3}});
    expect_refusal("the suite of the run is no JSON object", {{"document", "x"}});
    expect_refusal("\"limit\"", {{"overrides", {{"limit", -1}}}});
    expect_refusal("\"settings\" is no object of objects", {{"settings", {{"flow", 3}}}});
    expect_refusal("steps: expected a whole number", {{"settings", {{"flow", {{"steps", "many"}}}}}});
    expect_refusal("\"recipes\" has one without settings",
                   {{"recipes", {{"flow", {{"none", Json::array()}}}}}});
}

}  // namespace
}  // namespace gass::eval
