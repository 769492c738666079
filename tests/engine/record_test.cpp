#include "engine/record.h"

#include "support/expect_error.h"

namespace gass {
namespace {

Record example() {
    Record record{.version = "1.2.3",
                  .fingerprint = "0123456789abcdef",
                  .machine = "LibTorch 2, AVX512",
                  .prompt = "a {red|blue} car, \"fast\"",
                  .seeds = {7, 4294967295},
                  .variation = Variation{3, 0.25},
                  .shield = {"/pictures/a.png"}};
    record.settings = {{"model", "some/folder/"},
                       {"negative_prompt", "rain, fog"},
                       {"steps", 28},
                       {"cfg_scale", 4.5},
                       {"width", 512},
                       {"height", 768},
                       {"method", "gass:candidates=2"},
                       {"sampling_method", "dpm++2m"},
                       {"scheduler", "karras"},
                       {"clip_skip", 1}};
    return record;
}

TEST(Record, RoundTrip) {
    const Record record = example();
    const Json json = parse_json(record.to_json().dump(), "test");
    EXPECT_EQ(Record::from_json(json, "test").to_json(), record.to_json());
}

TEST(Record, RefusesWhatIsNotOurs) {
    const auto refused = [](const std::function<void(Json&)>& damage, const std::string& part) {
        Json json = example().to_json();
        damage(json);
        test::expect_error(ErrorCode::model_invalid, part, [&] { Record::from_json(json, "here"); });
    };
    refused([](Json& json) { json.erase("seeds"); }, "seeds");
    refused([](Json& json) { json["seeds"] = Json::array(); }, "seeds");
    refused([](Json& json) { json["seeds"] = {-1}; }, "a seed must be");
    refused([](Json& json) { json["seeds"] = {4294967296}; }, "a seed must be");
    refused([](Json& json) { json["seeds"] = {"7"}; }, "a seed must be");
    refused([](Json& json) { json["seeds"] = std::vector<int>(kMaxSeeds + 1, 1); }, "seeds");
    refused([](Json& json) { json["prompt"] = 7; }, "prompt");
    refused([](Json& json) { json["variation"]["strength"] = 1.5; }, "strength");
    refused([](Json& json) { json["variation"] = 3; }, "here");
    refused([](Json& json) { json = Json::array(); }, "here");
}

TEST(Record, TellsOtherToolsWhatTheyAskFor) {
    Group group;
    group.seeds = {7, 8};
    group.places = {0, 3};  // of four candidates
    group.prompts = {"a red car", "a blue car"};
    const std::string text = format_infotext(infotext_of(example(), group, 1));
    EXPECT_EQ(
        text,
        "a blue car\n"
        "Negative prompt: rain, fog\n"
        "Steps: 28, Sampler: DPM++ 2M, Schedule type: Karras, CFG scale: 4.5, Seed: 8, Size: 512x768, Model "
        "hash: 0123456789, Model: folder, Variation seed: 6, Variation seed strength: 0.25, Clip skip: 2, "
        "RNG: CPU, Diversity: gass, Group seeds: \"7,4294967295\", Group index: 1, Version: gass 1.2.3");
}

}  // namespace
}  // namespace gass
