#include "eval/making/group_maker.h"
#include "eval/making/suite_of_models.h"
#include "support/temporary_folder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>

namespace gass::eval {
namespace {

/// Keys by "model/method", as the version of gass would make them that the expected ones are of.
std::map<std::string, std::string> keys_of(const Json& document) {
    const test::TemporaryFolder folder;
    const Suite suite = read_suite(folder.write("suite.json", document.dump()), {});
    std::vector<std::vector<Recipe>> recipes;
    for (std::size_t i = 0; i < suite.models.size(); ++i) {
        Json object = suite.settings;
        object.update(suite.models[i].settings);
        recipes.push_back(prepare_model(suite, i, settings_over(object, "suite")).recipes);
        for (Recipe& recipe : recipes.back()) recipe.identity["gass"] = "0.1.0";
    }
    std::map<std::string, std::string> keys;
    for (const WorkItem& item : plan_of(suite, recipes))
        keys[suite.models[item.model].id + "/" + suite.methods[item.method].id] = item.key;
    return keys;
}

constexpr const char* kThenOnFlow =
    "gass:strength=0.5,interval=0.72988,guidance=1.9004,start=1,mean_scale=1.328646,candidates=4,push=off,"
    "select_time=0.75,scout_steps=3,drop=0.5,push_until=0.85,axes=4,targets=ladder,half_width=0.2,gain=0.5,"
    "dep=0,"
    "ind=1,ridge=0.1,trust=0.1,injection=keep-noise";
constexpr const char* kThenOnUnet =
    "gass:strength=0.5,interval=0.9397,guidance=0.8191,start=1,mean_scale=1.3618,candidates=4,push=off,"
    "select_time=0.75,scout_steps=3,drop=0.5,push_until=0.85,axes=4,targets=ladder,half_width=0.2,gain=0.5,"
    "dep=0,"
    "ind=1,ridge=0.1,trust=0.1,injection=keep-noise";

// Written by gass 0.1.0. If one of these changes, every group of every store is made again.
TEST(StoreKeys, AreThoseOfTheStoresThereAre) {
    const std::map<std::string, std::string> expected{
        {"flow/none", "badc7cb18370ec2cd581d2bb05f32f96"}, {"flow/gass", "933338f0e8252e2de0675069bea6797a"},
        {"flow/both", "4d93ddfb25e5bb661955f9b827329d27"}, {"unet/none", "55c648a9e851a44c1cb4c3f24f2b1c1e"},
        {"unet/gass", "b6b3a485bb454dcb4444e2a0c8730413"}, {"unet/both", "f65c0a66e1912760ac9dff9fb9b466e7"}};
    Json suite = suite_of_models();
    // `gass` has become another; as it was then, its knobs in full, it is still the same.
    suite["methods"]["gass"]["method"] = {{"flow", kThenOnFlow}, {"unet", kThenOnUnet}};
    suite["methods"]["both"]["method"] = {{"flow", fmt::format("cads+{}", kThenOnFlow)},
                                          {"unet", fmt::format("cads+{}", kThenOnUnet)}};
    EXPECT_EQ(keys_of(suite), expected);
}

TEST(StoreKeys, OfAGroupWithNamedAxesAndAGuideAreTheSameToo) {
    Json suite = suite_of_models();
    suite["settings"].update({{"vary", "red|blue"}, {"guide", "mini-clip"}});
    suite["models"].erase("unet");
    suite["methods"] = {{"gass", {{"method", kThenOnFlow}}}};
    suite["baseline"] = "gass";
    const std::map<std::string, std::string> expected{{"flow/gass", "e6452367d42c2ada0af6c07668c8dbf9"}};
    EXPECT_EQ(keys_of(suite), expected);
}

}  // namespace
}  // namespace gass::eval
