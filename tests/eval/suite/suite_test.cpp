#include "eval/suite/suite.h"

#include "eval/suite/suite_sample.h"
#include "support/expect_error.h"

#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

namespace gass::eval {
namespace {

using test::expect_error;
using Texts = std::vector<std::string>;

template <class Part>
Texts ids(const std::vector<Part>& parts) {
    Texts result;
    for (const Part& part : parts) result.push_back(part.id);
    return result;
}

TEST(Suite, ReadsEveryPart) {
    const Suite suite = SuiteSample().read();
    EXPECT_EQ(suite.name, "patched");
    EXPECT_EQ(suite.title, "Small");
    EXPECT_EQ(suite.description, "Two models, three methods.");
    EXPECT_EQ(suite.settings.dump(), R"({"images":4,"steps":10})");
    EXPECT_EQ(suite.groups, 3);
    EXPECT_EQ(suite.seed, 7U);
    EXPECT_FALSE(suite.pools_groups);
    EXPECT_EQ(suite.samples, 1U);
    EXPECT_FALSE(suite.keeps_pictures);
    EXPECT_EQ(suite.baseline, "none");

    ASSERT_EQ(ids(suite.models), (Texts{"sd21", "sd3m"}));
    EXPECT_EQ(suite.models[0].name, "SD2.1");
    EXPECT_EQ(suite.models[0].settings.dump(), R"({"model":"org/sd21","cfg_scale":8.0})");
    EXPECT_EQ(suite.models[1].name, "sd3m");

    ASSERT_EQ(ids(suite.methods), (Texts{"none", "cads", "gass"}));
    EXPECT_EQ(suite.methods[1].name, "CADS");
    EXPECT_EQ(suite.methods[1].methods, (Texts{"cads:scale=0.15", "cads:scale=0.1+gass"}));
    EXPECT_EQ(suite.methods[2].methods, (Texts{"gass", "gass"}));

    EXPECT_EQ(suite.reference.encoder, "mini-judge");
    EXPECT_TRUE(suite.reference.as_row);
    ASSERT_EQ(suite.splits.size(), 2U);
    EXPECT_EQ(suite.splits[0].most_words, 2U);
    EXPECT_EQ(suite.splits[1].name, "long");
    EXPECT_EQ(suite.splits[1].least_words, 3U);
    EXPECT_EQ(suite.splits[1].most_words, 0U);
    ASSERT_EQ(suite.plots.size(), 1U);
    EXPECT_EQ(suite.plots[0].x, "density");
    EXPECT_EQ(suite.plots[0].y, "vendi");
    ASSERT_TRUE(suite.published);
    EXPECT_EQ(suite.published->source, "A paper");
    EXPECT_EQ(suite.published->prompts, 2U);
    EXPECT_EQ(suite.published->images, 12);
    EXPECT_EQ(suite.published->parameters.at("sd21"), 865910724);
}

TEST(Suite, ReadsMetrics) {
    const Suite suite = SuiteSample().read();
    ASSERT_EQ(ids(suite.metrics), (Texts{"vendi", "density", "pairwise", "seconds"}));
    const SuiteMetric& vendi = suite.metrics[0];
    EXPECT_EQ(vendi.metric, Metric::vendi);
    EXPECT_EQ(vendi.name, "VS");
    EXPECT_EQ(vendi.encoder, "mini-clip");
    EXPECT_EQ(vendi.order, 2.0);
    EXPECT_EQ(vendi.resize_first, 256);
    EXPECT_EQ(vendi.decimals, 3);
    EXPECT_TRUE(vendi.more_is_better);
    EXPECT_EQ(suite.metrics[1].k, 3);
    EXPECT_EQ(suite.metrics[1].decimals, 2);
    EXPECT_FALSE(suite.metrics[2].more_is_better);
    EXPECT_EQ(suite.metrics[3].metric, std::nullopt);
    EXPECT_FALSE(suite.metrics[3].more_is_better);
    EXPECT_TRUE(suite.metrics[3].encoder.empty());
}

TEST(Suite, ReadsTables) {
    const Suite suite = SuiteSample().read();
    ASSERT_EQ(ids(suite.tables), (Texts{"methods", "sources", "splits"}));
    EXPECT_EQ(suite.tables[0].layout, TableLayout::methods);
    EXPECT_EQ(suite.tables[0].methods, (Texts{"none", "cads", "", "gass"}));
    EXPECT_EQ(suite.tables[0].published.at("sd21").at("none").at("vendi"), 8.599);
    EXPECT_EQ(suite.tables[1].layout, TableLayout::sources);
    EXPECT_EQ(suite.tables[1].title, "sources");
    EXPECT_EQ(suite.tables[1].models, (Texts{"sd21", "sd3m"}));
    EXPECT_EQ(suite.tables[2].layout, TableLayout::splits);
    const Suite open = SuiteSample().read(R"({"tables": {"methods": {"published": null, "metrics": null}}})");
    EXPECT_TRUE(open.tables[0].published.is_null());
    EXPECT_EQ(open.tables[0].metrics, (Texts{"vendi", "density", "pairwise", "seconds"}));
}

TEST(Suite, TheLeastIsEnough) {
    const SuiteSample sample;
    const auto file = sample.folder.write("least.json", R"({
        "title": "Least", "models": {"m": {"settings": {"model": "mini-flow"}}},
        "methods": {"none": {"method": "none"}}, "baseline": "none", "prompts": {"list": ["a"]},
        "metrics": {"seconds": {"metric": "seconds"}}})");
    const Suite suite = read_suite(file, {});
    EXPECT_EQ(suite.name, "least");
    EXPECT_EQ(suite.groups, 1);
    EXPECT_EQ(suite.seed, 0U);
    EXPECT_TRUE(suite.pools_groups);
    EXPECT_TRUE(suite.keeps_pictures);
    EXPECT_EQ(suite.samples, 4U);
    EXPECT_TRUE(suite.tables.empty());
    EXPECT_FALSE(suite.published);
    EXPECT_FALSE(suite.reference.is_given());
}

TEST(Suite, RefusesWrongParts) {
    const SuiteSample sample;
    sample.refuses(R"({"titel": "x"})", "patched.json] unknown key \"titel\"");
    sample.refuses(R"({"title": null})", "\"title\" is missing");
    sample.refuses(R"({"title": "a\u0000b"})", "patched.json, title] the text holds a zero byte");
    sample.refuses(R"({"groups": 0})", "\"groups\" must be 1 to 10000");
    sample.refuses(R"({"groups": 10001})", "\"groups\" must be 1 to 10000");
    sample.refuses(R"({"seed": 4294967296})", "\"seed\" must be 0 to");
    sample.refuses(R"({"measure_groups": "all"})", "expected pooled or each, got \"all\"");
    sample.refuses(R"({"keep_pictures": 1})", "\"keep_pictures\" must be true or false");
    sample.refuses(R"({"settings": {"stepps": 3}})", "patched.json, settings] unknown setting \"stepps\"");
    sample.refuses(R"({"settings": {"steps": 0}})", "settings] steps: expected 1 to 1000");
    sample.refuses(R"({"settings": {"method": "gass"}})", "\"method\" is not a setting of a suite");
    sample.refuses(R"({"settings": []})", "expected a JSON object with settings");
    sample.refuses(R"({"splits": {"short": {"least_words": 5}}})", "no prompt has 5 to 2 words");
    sample.refuses(R"({"samples": -1})", "\"samples\" must be 0 to 1000");
}

TEST(Suite, RefusesWrongModelsAndMethods) {
    const SuiteSample sample;
    sample.refuses(R"({"models": {"a b": {"settings": {"model": "x"}}}})", "models] \"a b\" is not an id");
    sample.refuses(R"({"models": {"": {"settings": {"model": "x"}}}})", "\"\" is not an id");
    sample.refuses(R"({"models": {"real": {"settings": {"model": "x"}}}})", "models.real] \"real\" is what");
    sample.refuses(R"({"models": {"x": {"settings": {}}}})", "models.x.settings] the key \"model\"");
    sample.refuses(R"({"models": {"sd21": {"steps": 3}}})", "models.sd21] unknown key \"steps\"");
    sample.refuses(R"({"models": {"new": {"settings": {"model": "x"}}}})",
                   "methods.cads.method] the key \"new\" is missing");
    sample.refuses(R"({"models": {"sd3m": null}})", "methods.cads.method] unknown key \"sd3m\"");
    sample.refuses(R"({"models": {"sd21": null, "sd3m": null}})", "\"models\" has none");
    sample.refuses(R"({"models": 3})", "patched.json, models] expected a JSON object");
    sample.refuses(R"({"methods": {"real": {"method": "none"}}})", "\"real\" is what real pictures");
    sample.refuses(R"({"methods": {"cads": {"method": "cads:scale"}}})",
                   "methods.cads.method] expected NAME:KEY=VALUE");
    sample.refuses(R"({"methods": {"cads": {"method": "cads++gass"}}})", "cads.method] \"\" is not an id");
    sample.refuses(R"({"methods": {"cads": {"method": {"sd21": "a:b=1,b=2"}}}})", "\"b\" is given twice");
    sample.refuses(R"({"methods": {"cads": {"method": 3}}})", "\"method\" must be text");
    sample.refuses(R"({"methods": {"none": null}})", "baseline] there is no method \"none\"");
    sample.refuses(R"({"methods": {"none": null, "cads": null, "gass": null}})", "\"methods\" has none");
    std::string many = R"({"methods": {)";
    for (int i = 0; i < 300; ++i)
        many += (i == 0 ? "\"m" : ",\"m") + std::to_string(i) + R"(": {"method": "none"})";
    sample.refuses(many + "}}", "methods] 303 of them; at most 256 are taken");
}

TEST(Suite, RefusesWrongMetricsAndReferences) {
    const SuiteSample sample;
    sample.refuses(R"({"metrics": {"vendi": {"metric": "vendy"}}})", "there is no metric \"vendy\"");
    sample.refuses(R"({"metrics": {"vendi": {"encoder": null}}})", "\"encoder\" is missing");
    sample.refuses(R"({"metrics": {"vendi": {"encoder": ""}}})", "the name is empty");
    sample.refuses(R"({"metrics": {"vendi": {"k": 5}}})", "unknown key \"k\"");
    sample.refuses(R"({"metrics": {"density": {"order": 1}}})", "unknown key \"order\"");
    sample.refuses(R"({"metrics": {"seconds": {"encoder": "clip"}}})", "unknown key \"encoder\"");
    sample.refuses(R"({"metrics": {"vendi": {"order": -1}}})", "expected 0 or more, got -1");
    sample.refuses(R"({"metrics": {"vendi": {"decimals": 11}}})", "\"decimals\" must be 0 to 10");
    sample.refuses(R"({"metrics": {"density": {"k": 0}}})", "\"k\" must be 1 to");
    sample.refuses(R"({"reference": null, "tables": {"sources": null}})",
                   "metrics.density] needs a \"reference\"");
    sample.refuses(R"({"metrics": {"density": {"encoder": "clip"}}})", "sees by \"clip\"");
    sample.refuses(R"({"reference": {"images": "photos"}})", "expected one of \"images\", \"encoder\"");
    sample.refuses(R"({"reference": {"encoder": null}})", "expected one of \"images\", \"encoder\"");
    sample.refuses(R"({"reference": {"rows": true}})", "unknown key \"rows\"");
    expect_error(ErrorCode::model_not_found, "reference.images] there is no folder",
                 [&] { sample.read(R"({"reference": {"encoder": null, "images": "photos"}})"); });
    expect_error(ErrorCode::usage, "[`reference`] this suite needs real photos",
                 [&] { sample.read(R"({"reference": {"encoder": null, "needed": "real photos"}})"); });
}

TEST(Suite, RefusesTablesOfWhatThereIsNot) {
    const SuiteSample sample;
    const auto refuses = [&](const std::string& table, const std::string& part) {
        sample.refuses(R"({"tables": )" + table + "}", part);
    };
    refuses(R"({"methods": {"models": ["sd15"]}})", "tables.methods.models] there is no model \"sd15\"");
    refuses(R"({"methods": {"methods": ["pg"]}})", "tables.methods.methods] there is no method \"pg\"");
    refuses(R"({"methods": {"metrics": ["fid"]}})", "tables.methods.metrics] there is no metric \"fid\"");
    refuses(R"({"methods": {"models": ["sd21", "sd21"]}})", "\"sd21\" is given twice");
    refuses(R"({"methods": {"models": [""]}})", "an id is empty");
    refuses(R"({"methods": {"metrics": []}})", "the list is empty");
    refuses(R"({"methods": {"methods": ["", "none"]}})", "a rule, \"\", stands between two methods");
    refuses(R"({"methods": {"methods": ["none", ""]}})", "a rule, \"\", stands between two methods");
    refuses(R"({"methods": {"methods": ["none", "", "", "gass"]}})", "a rule, \"\", stands between");
    refuses(R"({"methods": {"layout": "rows"}})", "expected methods, sources or splits, got \"rows\"");
    refuses(R"({"methods": {"colour": "red"}})", "unknown key \"colour\"");
    refuses(R"({"sources": {"methods": ["none", "gass"]}})", "this layout shows one method, not 2");
    refuses(R"({"splits": {"models": ["sd21", "sd3m"]}})", "this layout shows one model, not 2");
    refuses(R"({"splits": {"methods": ["none"]}})", "from the baseline to another method");
    sample.refuses(R"({"splits": null})", "this layout needs \"splits\" in the suite");
    sample.refuses(R"({"plots": [{"x": "vendi", "y": "fid"}]})", "plots[0]] there is no metric \"fid\"");
    sample.refuses(R"({"plots": [{"x": "vendi", "y": "vendi"}]})", "\"vendi\" over itself");
    sample.refuses(R"({"plots": {}})", "expected a list of at most 64 plots");
}

TEST(Suite, RefusesPublishedNumbersOfWhatThereIsNot) {
    const SuiteSample sample;
    const auto refuses = [&](const std::string& table, const std::string& published,
                             const std::string& part) {
        sample.refuses(R"({"tables": {")" + table + R"(": {"published": )" + published + "}}}", part);
    };
    refuses("methods", R"({"sd15": {}})", "published] there is no model of the table \"sd15\"");
    refuses("methods", R"({"sd21": {"pg": {}}})", "published.sd21] there is no method of the table \"pg\"");
    refuses("methods", R"({"sd21": {"": {}}})", "there is no method of the table \"\"");
    refuses("methods", R"({"sd21": {"gass": {"density": 1}}})", "there is no metric of the table");
    refuses("methods", R"({"sd21": {"gass": {"vendi": "1"}}})", "expected a number");
    refuses("methods", R"({"sd21": {"gass": [1]}})", "expected an object with a metric of the table each");
    refuses("sources", R"({"sd3m": {"vendi": 1}})", "expected two numbers");
    refuses("sources", R"({"sd3m": {"vendi": [1, "x"]}})", "expected a number");
    refuses("splits", R"({"medium": {"vendi": [1, 2]}})", "there is no split \"medium\"");
    sample.refuses(R"({"reference": {"row": null}})", "nor are real pictures measured, \"real\"");
    sample.refuses(R"({"published": null})", "tables.methods has published numbers");
    sample.refuses(R"({"published": {"parameters": {"sd15": 1}}})", "there is no model \"sd15\"");
    sample.refuses(R"({"published": {"parameters": {"sd21": 0}}})", "\"sd21\" must be 1 to");
    sample.refuses(R"({"published": {"prompts": null}})", "\"prompts\" is missing");
}

TEST(Suite, ExtendsAnotherBesideIt) {
    const SuiteSample sample;
    sample.folder.write("middle.json",
                        R"({"extends": "small.json", "groups": 5, "models": {"sd21": {"name": "Two"}}})");
    const Suite suite = read_suite(sample.folder.write("top.json", R"({
        "extends": "middle.json", "title": "Top", "methods": {"gass": null, "cads": {"method": "cads"}},
        "settings": {"steps": null, "width": 64}, "tables": null, "published": null})"),
                                   {});
    EXPECT_EQ(suite.name, "top");
    EXPECT_EQ(suite.title, "Top");
    EXPECT_EQ(suite.groups, 5);
    EXPECT_EQ(suite.models[0].name, "Two");
    EXPECT_EQ(suite.models[0].settings.at("model"), "org/sd21");
    EXPECT_EQ(ids(suite.methods), (Texts{"none", "cads"}));
    EXPECT_EQ(suite.methods[1].methods, (Texts{"cads", "cads"}));
    EXPECT_EQ(suite.settings.dump(), R"({"images":4,"width":64})");
    EXPECT_TRUE(suite.tables.empty());
}

TEST(Suite, RefusesToExtendForEver) {
    const SuiteSample sample;
    const auto& folder = sample.folder;
    expect_error(ErrorCode::model_invalid, "\"a.json\" extends itself", [&] {
        folder.write("b.json", R"({"extends": "a.json"})");
        read_suite(folder.write("a.json", R"({"extends": "b.json"})"), {});
    });
    const auto chain = [&](int length) {
        folder.write("0.json", R"({"extends": "small.json"})");
        for (int i = 1; i < length; ++i)
            folder.write(std::to_string(i) + ".json",
                         R"({"extends": ")" + std::to_string(i - 1) + R"(.json"})");
        return folder / (std::to_string(length - 1) + ".json");
    };
    EXPECT_EQ(read_suite(chain(7), {}).title, "Small");
    expect_error(ErrorCode::model_invalid, "extends more than 7 suites", [&] { read_suite(chain(8), {}); });
    for (const char* base : {"../small.json", "", ".", "/etc/passwd"})
        expect_error(ErrorCode::model_invalid, "is not the name of a file beside this one", [&] {
            read_suite(folder.write("x.json", R"({"extends": ")" + std::string(base) + "\"}"), {});
        });
    expect_error(ErrorCode::model_invalid, "\"extends\" must be a string",
                 [&] { read_suite(folder.write("x.json", R"({"extends": 3})"), {}); });
    expect_error(ErrorCode::model_not_found, "missing.json",
                 [&] { read_suite(folder.write("x.json", R"({"extends": "missing.json"})"), {}); });
    expect_error(ErrorCode::model_not_found, "nowhere.json",
                 [&] { read_suite(folder / "nowhere.json", {}); });
}

TEST(Suite, RefusesObjectsThatTakeForEverToMerge) {
    std::string members;
    for (int i = 0; i < 2000; ++i) members += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":{}";
    const SuiteSample sample;
    expect_error(ErrorCode::model_invalid, "an object with 2000 members; at most 1000",
                 [&] { read_suite(sample.folder.write("x.json", R"({"title": [{)" + members + "}]}"), {}); });
}

TEST(Suite, OverridesStandInPlaceOfTheFile) {
    const SuiteSample sample;
    sample.folder.write("photos/cat/1.png", "x");
    const std::string photos = (sample.folder / "photos").string();
    Suite suite = sample.read("{}", {.limit = 1, .reference = photos, .models = {"sd3m=/models/my=sd3"}});
    EXPECT_EQ(suite.prompts.size(), 1U);
    EXPECT_EQ(suite.reference.images, photos);
    EXPECT_TRUE(suite.reference.encoder.empty());
    EXPECT_TRUE(suite.reference.as_row);
    EXPECT_EQ(suite.models[1].settings.at("model"), "/models/my=sd3");
    EXPECT_EQ(suite.models[0].settings.at("model"), "org/sd21");
    EXPECT_EQ(sample.read(R"({"reference": {"encoder": null, "needed": "x"}})", {.reference = photos})
                  .reference.images,
              photos);
    EXPECT_EQ(sample.read(R"({"reference": {"encoder": null, "images": "photos"}})").reference.images,
              photos);

    sample.refuses_overrides({.models = {"sd15=x"}},
                             "[`model`] the suite has no model \"sd15\"; it has sd21, sd3m");
    sample.refuses_overrides({.models = {"sd21"}}, "expected ID=FOLDER, got \"sd21\"");
    sample.refuses_overrides({.models = {"sd21="}}, "expected ID=FOLDER");
    sample.refuses_overrides({.models = {"sd21=a", "sd21=b"}}, "\"sd21\" is given twice");
    sample.refuses_overrides({.only_models = {"sd15"}}, "[`only_models`] the suite has no model \"sd15\"");
    sample.refuses_overrides({.only_methods = {"gass", "pg"}},
                             "[`only_methods`] the suite has no method \"pg\"");
    expect_error(ErrorCode::model_not_found, "[`reference`] there is no folder",
                 [&] { sample.read("{}", {.reference = photos + "/dog"}); });
}

TEST(Suite, TablesLoseWhatIsNotRun) {
    const SuiteSample sample;
    Suite suite = sample.read("{}", {.only_models = {"sd3m"}});
    EXPECT_EQ(ids(suite.models), (Texts{"sd3m"}));
    EXPECT_EQ(suite.methods[1].methods, (Texts{"cads:scale=0.1+gass"}));
    EXPECT_EQ(ids(suite.tables), (Texts{"methods", "sources"}));
    EXPECT_EQ(suite.tables[0].models, (Texts{"sd3m"}));
    EXPECT_EQ(suite.published->parameters.dump(), R"({"sd3m":3})");

    suite = sample.read("{}", {.only_methods = {"gass", "none"}});
    EXPECT_EQ(ids(suite.methods), (Texts{"none", "gass"}));
    EXPECT_EQ(suite.tables[0].methods, (Texts{"none", "", "gass"}));
    EXPECT_EQ(suite.baseline, "none");
    EXPECT_EQ(suite.tables.size(), 3U);

    suite = sample.read("{}", {.only_methods = {"gass"}});
    EXPECT_TRUE(suite.baseline.empty());
    ASSERT_EQ(ids(suite.tables), (Texts{"methods"}));
    EXPECT_EQ(suite.tables[0].methods, (Texts{"gass"}));

    suite = sample.read("{}", {.only_methods = {"cads"}});
    EXPECT_EQ(suite.tables[0].methods, (Texts{"cads"}));
}

// Whatever is left of a suite fits together.
RC_GTEST_PROP(Suite, NarrowedSuitesFitTogether, (bool sd21, bool sd3m, bool none, bool cads, bool gass)) {
    SuiteOverrides overrides;
    if (sd21) overrides.only_models.emplace_back("sd21");
    if (sd3m) overrides.only_models.emplace_back("sd3m");
    if (none) overrides.only_methods.emplace_back("none");
    if (cads) overrides.only_methods.emplace_back("cads");
    if (gass) overrides.only_methods.emplace_back("gass");
    const Suite suite = SuiteSample().read("{}", overrides);
    RC_ASSERT(suite.models.size() == (overrides.only_models.empty() ? 2U : overrides.only_models.size()));
    RC_ASSERT(suite.methods.size() == (overrides.only_methods.empty() ? 3U : overrides.only_methods.size()));
    for (const SuiteMethod& method : suite.methods) RC_ASSERT(method.methods.size() == suite.models.size());
    RC_ASSERT(suite.baseline.empty() == (suite.find_method("none") == nullptr));
    for (const SuiteTable& table : suite.tables) {
        RC_ASSERT(!table.models.empty());
        RC_ASSERT(!table.methods.empty());
        RC_ASSERT(!table.methods.front().empty());
        RC_ASSERT(!table.methods.back().empty());
        for (const std::string& id : table.models) RC_ASSERT(suite.find_model(id) != nullptr);
        for (std::size_t i = 0; i < table.methods.size(); ++i) {
            const std::string& id = table.methods[i];
            RC_ASSERT((id.empty() ? !table.methods[i + 1].empty() : suite.find_method(id) != nullptr));
        }
    }
}

}  // namespace
}  // namespace gass::eval
