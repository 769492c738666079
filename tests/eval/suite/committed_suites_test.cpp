// The suites that come with gass.

#include "eval/suite/known_suites.h"
#include "eval/suite/suite.h"
#include "io/file.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace gass::eval {
namespace {

namespace fs = std::filesystem;

class CommittedSuites : public testing::Test {
  protected:
    CommittedSuites() {
        ::setenv("GASS_DATA_DIR", fs::path(GASS_SUITES_DIR).parent_path().c_str(), 1);
        std::string lines;
        for (int i = 0; i < 200; ++i) lines += "prompt number " + std::to_string(i) + "\n";
        folder_.write("prompts.txt", lines);
        folder_.write("photos/n01/1.png", "x");
    }
    ~CommittedSuites() override { ::unsetenv("GASS_DATA_DIR"); }

    SuiteOverrides given() const {
        return {.prompt_file = (folder_ / "prompts.txt").string(),
                .reference = (folder_ / "photos").string()};
    }
    /// With prompts and real pictures of ours, which those of Stable Diffusion need.
    Suite read(const std::string& name) const { return read_suite(find_suite(name), given()); }
    /// Of a suite for the embedded models, which needs nothing.
    static Suite read_alone(const std::string& name) { return read_suite(find_suite(name), {}); }

    test::TemporaryFolder folder_;
};

Json published(const Suite& suite, const std::string& table) {
    for (const SuiteTable& one : suite.tables) {
        if (one.id == table) return one.published;
    }
    return {};
}

TEST_F(CommittedSuites, AllOfThemAreListedAndRead) {
    std::set<std::string> names;
    for (const KnownSuite& known : list_suites()) {
        SCOPED_TRACE(known.name);
        names.insert(known.name);
        EXPECT_EQ(find_suite(known.name), known.file);
        EXPECT_EQ(find_suite(known.name + ".json"), known.file);
        EXPECT_EQ(find_suite(known.file.string()), known.file);
        const Suite suite = read(known.name);
        EXPECT_EQ(suite.title, known.title);
        EXPECT_FALSE(suite.description.empty());
        EXPECT_FALSE(suite.tables.empty());
        // Whatever is sampled is shown.
        for (const SuiteMethod& method : suite.methods) {
            EXPECT_TRUE(std::ranges::any_of(suite.tables, [&](const SuiteTable& table) {
                return method.id == suite.baseline || std::ranges::count(table.methods, method.id) == 1;
            })) << method.id;
        }
    }
    EXPECT_EQ(names, (std::set<std::string>{"ablation-basis", "ablation-variants", "drawbench",
                                            "drawbench-complexity", "imagenet", "imagenet-spread", "mini",
                                            "mini-small", "timing"}));
}

TEST_F(CommittedSuites, OthersAreNotFound) {
    for (const char* name : {"drawbanch", "", "..", "/", "mini-prompts.txt", "a\nb"})
        test::expect_error(ErrorCode::model_not_found, "drawbench, drawbench-complexity, imagenet",
                           [&] { find_suite(name); });
}

TEST_F(CommittedSuites, ThoseForStableDiffusionSayWhatTheyNeed) {
    test::expect_error(ErrorCode::usage, "[`prompt_file`] this suite needs DrawBench's 200 prompts",
                       [] { read_alone("drawbench"); });
    test::expect_error(ErrorCode::usage, "[`reference`] this suite needs ImageNet's validation pictures",
                       [] { read_alone("imagenet"); });
}

TEST_F(CommittedSuites, RunsAreThoseOfThePaper) {
    const Suite drawbench = read("drawbench");
    EXPECT_EQ(drawbench.published->prompts, 200U);
    EXPECT_EQ(drawbench.published->images, drawbench.groups * drawbench.settings.at("images").get<int>());
    EXPECT_EQ(drawbench.settings.at("width"), 512);
    EXPECT_EQ(drawbench.find_model("sd21")->settings.at("cfg_scale"), 8.0);
    EXPECT_EQ(drawbench.find_model("sd3m")->settings.at("cfg_scale"), 7.0);
    EXPECT_EQ(drawbench.find_method("spell")->methods,
              (std::vector<std::string>{"spell:radius=250", "spell:radius=350"}));

    const Suite imagenet = read("imagenet");
    EXPECT_EQ(imagenet.published->prompts, 1000U);
    EXPECT_EQ(imagenet.published->images, imagenet.groups * imagenet.settings.at("images").get<int>());
    EXPECT_EQ(imagenet.settings.at("height"), 768);
    EXPECT_EQ(imagenet.find_model("sd3m")->settings.at("cfg_scale"), 5.5);
    EXPECT_EQ(imagenet.find_model("sd3m")->settings.at("steps"), 28);
    EXPECT_TRUE(imagenet.pools_groups);
    EXPECT_EQ(imagenet.find_metric("density")->k, 5);
    EXPECT_EQ(imagenet.prompts[0].text, "A photo of prompt number 0.");
    EXPECT_EQ(imagenet.reference.images, given().reference);

    EXPECT_TRUE(read("imagenet-spread").reference.as_row);
    EXPECT_EQ(read("timing").prompts.size(), 20U);
    EXPECT_EQ(read("drawbench-complexity").models.size(), 1U);
}

TEST_F(CommittedSuites, NumbersAreThoseOfThePaper) {
    const Json table1 = published(read("imagenet-spread"), "table1");
    EXPECT_EQ(table1.at("real").at("spp"), (Json{0.220, 0.05}));
    EXPECT_EQ(table1.at("sd3m").at("d_dep"), (Json{0.060, 0.03}));
    const Json table2 = published(read("imagenet"), "table2");
    EXPECT_EQ(table2.at("sd21").at("spell").at("vendi"), 32.601);
    EXPECT_EQ(table2.at("sd3m").at("ig").at("density"), 1.389);
    EXPECT_EQ(table2.at("sd3m").at("gass-paper").at("clip_score"), 0.313);
    const Json table3 = published(read("drawbench"), "table3");
    EXPECT_EQ(table3.at("sd21").at("gass-paper").at("vendi"), 8.847);
    EXPECT_EQ(table3.at("sd3m").at("spell").at("image_reward"), 0.671);
    EXPECT_FALSE(table3.at("sd3m").contains("gass"));
    const Json table4 = published(read("drawbench-complexity"), "table4");
    EXPECT_EQ(table4.at("short").at("vendi"), (Json{8.301, 8.535}));
    EXPECT_EQ(table4.at("long").at("spp"), (Json{0.092, 0.099}));
    const Json table5 = published(read("ablation-basis"), "table5");
    EXPECT_EQ(table5.at("sd3m").at("ip").at("clip_score"), 0.308);
    const Json table6 = published(read("ablation-variants"), "table6");
    EXPECT_EQ(table6.at("sd3m").at("no-norm").at("vendi"), 8.876);
    EXPECT_EQ(table6.at("sd3m").at("first-10").at("image_reward"), 0.808);
    EXPECT_EQ(table6.at("sd3m").size(), 9U);
}

TEST_F(CommittedSuites, ComplexityPartsAllPrompts) {
    const Suite suite = read("drawbench-complexity");
    for (std::size_t words = 1; words <= 40; ++words) {
        std::string text = "a";
        for (std::size_t i = 1; i < words; ++i) text += " b";
        std::vector<std::string> found;
        for (const SuiteSplit& split : suite.splits) {
            if (is_in(split, {0, text, text})) found.push_back(split.id);
        }
        EXPECT_EQ(found, std::vector<std::string>{words <= 8 ? "short" : words <= 14 ? "medium" : "long"});
    }
}

TEST_F(CommittedSuites, ThoseForTheEmbeddedModelsNeedNothing) {
    const Suite mini = read_alone("mini");
    ASSERT_EQ(mini.prompts.size(), 24U);
    EXPECT_EQ(mini.prompts[0].name, "dog");
    EXPECT_EQ(mini.prompts[22].name, "a golden retriever");
    const fs::path models(GASS_MODELS_DIR);
    const Json judge = parse_json(read_text_file(models / "mini-judge" / "config.json"), "mini-judge");
    for (const SuitePrompt& prompt : mini.prompts) {
        EXPECT_TRUE(prompt.name == prompt.text ||
                    std::ranges::count(judge.at("classes"), Json(prompt.name)) == 1)
            << prompt.name;
    }
    for (const SuiteModel& model : mini.models)
        EXPECT_TRUE(fs::exists(models / model.settings.at("model").get<std::string>()));

    const Suite small = read_alone("mini-small");
    EXPECT_EQ(small.prompts.size(), 8U);
    EXPECT_EQ(small.groups, 1);
    EXPECT_EQ(small.methods.size(), 7U);
    EXPECT_EQ(small.find_method("gass-paper")->methods.front(), "gass-paper:steps=3");
}

}  // namespace
}  // namespace gass::eval
