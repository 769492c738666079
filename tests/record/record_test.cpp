#include "core/settings.h"
#include "core/text.h"
#include "record/changes.h"
#include "record/image_infotext.h"
#include "record/record_json.h"
#include "record/recorded_settings.h"
#include "record/samples.h"
#include "support/expect_error.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <type_traits>

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
    RecordedSettings& settings = record.settings;
    settings.model = "some/folder/";
    settings.negative_prompt = "rain, fog";
    settings.steps = 28;
    settings.cfg_scale = 4.5;
    settings.width = 512;
    settings.height = 768;
    settings.method = "gass:candidates=2";
    settings.sampling_method = "dpm++2m";
    settings.scheduler = "karras";
    settings.clip_skip = 1;
    return record;
}

TEST(Record, RoundTrip) {
    const Record record = example();
    const Json json = parse_json(to_json(record).dump(), "test");
    EXPECT_EQ(read_record(json, "test"), record);
}

RC_GTEST_PROP(Record, RoundTripWithAStartImage, ()) {
    Record record = example();
    record.start_image = StartImage{.file = test::any_text(),
                                    .strength = *rc::gen::inRange(1, 1'000'001) / 1e6,
                                    .hash = test::any_text()};
    const Json json = test::written(to_json(record));
    RC_ASSERT(json.at("start_image").size() == 3U);
    RC_ASSERT(read_record(json, "test") == record);
}

TEST(Record, WithoutAStartImageSaysNothingOfOne) {
    EXPECT_FALSE(to_json(example()).contains("start_image"));
}

TEST(Record, RefusesWhatIsNotOurs) {
    const auto refused = [](const std::function<void(Json&)>& damage, const std::string& part) {
        Json json = to_json(example());
        damage(json);
        test::expect_error(ErrorCode::model_invalid, part, [&] { read_record(json, "here"); });
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
    const auto refused_start = [&](const Json& start, const std::string& part) {
        refused([&](Json& json) { json["start_image"] = start; }, part);
    };
    refused_start(3, "here");
    refused_start({{"file", "a.png"}, {"hash", "h"}}, "the key \"strength\" is missing");
    refused_start({{"file", "a.png"}, {"strength", 0}, {"hash", "h"}}, "above 0 and at most 1");
    refused_start({{"file", "a.png"}, {"strength", 1.01}, {"hash", "h"}}, "above 0 and at most 1");
    refused_start({{"file", "a.png"}, {"strength", "1"}, {"hash", "h"}}, "above 0 and at most 1");
    refused_start({{"file", 7}, {"strength", 0.5}, {"hash", "h"}}, "file");
    refused_start({{"file", "a.png"}, {"strength", 0.5}}, "hash");
    refused([](Json& json) { json = Json::array(); }, "here");
    refused([](Json& json) { json["shield"] = "/etc"; }, "\"shield\" must be a list");
    refused([](Json& json) { json["shield"] = std::vector<std::string>(kMaxShield + 1, "a"); }, "shield");
    refused([](Json& json) { json.erase("settings"); }, "the key \"settings\" is missing");
}

TEST(Record, ChecksItsSettingsByTheirTable) {
    const auto refused = [](const Json& settings, const std::string& part) {
        Json json = to_json(example());
        json["settings"] = settings;
        test::expect_error(ErrorCode::model_invalid, part, [&] { read_record(json, "here"); });
    };
    refused(Json::array(), "[here] expected a JSON object with settings, got array");
    refused({{"nothing", 1}}, "[here] unknown setting \"nothing\"");
    refused({{"steps", 0}}, "[here] steps: expected 1 to 1000, got \"0\"");
    refused({{"steps", 2.5}}, "steps: expected a whole number");
    refused({{"width", 12}}, "width: expected a multiple of 8");
    refused({{"cfg_scale", 1e308}}, "cfg_scale: expected 0 to 100");
    refused({{"dtype", "fp8"}}, "dtype: expected one of");
    refused({{"no_t5", 1}}, "no_t5: expected true or false");
    refused({{"model", nullptr}}, "model: expected text");
    // No record has these; what one asks for must not be left out silently.
    refused({{"strength", 0.5}}, "[here] a record has no setting \"strength\"");
}

TEST(Record, HasSettingsOfTheTableOnly) {
    const Record record = example();
    visit_settings(record.settings, [](const char* key, const auto& value) {
        using Value = typename std::remove_cvref_t<decltype(value)>::value_type;
        const SettingSpec* spec = find_setting(key);
        ASSERT_NE(spec, nullptr) << key;
        const bool is_text = spec->type == SettingType::text || spec->type == SettingType::choice;
        EXPECT_EQ(is_text, (std::is_same_v<Value, std::string>)) << key;
        EXPECT_EQ(spec->type == SettingType::integer, (std::is_same_v<Value, std::int64_t>)) << key;
        EXPECT_EQ(spec->type == SettingType::number, (std::is_same_v<Value, double>)) << key;
    });
}

TEST(Record, TellsWhatChanged) {
    Record now = example();
    EXPECT_TRUE(changes(example(), now).empty());
    now.version = "1.3.0";
    now.machine = "LibTorch 3";
    now.fingerprint = "f";
    now.settings.steps = 30;
    now.settings.cfg_scale = 4.0;
    now.settings.scheduler = "default";
    now.settings.dtype = "fp32";
    EXPECT_THAT(changes(example(), now),
                testing::ElementsAre(
                    "made by gass 1.2.3, this is 1.3.0", "made with LibTorch 2, AVX512, this is LibTorch 3",
                    "the model's files are not the same: fingerprint 0123456789abcdef then, f now",
                    "steps was 28, now 30", "cfg_scale was 4.5, now 4.0",
                    "scheduler was \"karras\", now \"default\"", "dtype was not recorded, now \"fp32\""));
}

TEST(Record, ShowsSettingsAsText) {
    RecordedSettings settings;
    settings.cfg_scale = 4;
    settings.vary = "at night|at noon";
    settings.no_t5 = true;
    EXPECT_THAT(texts_of(settings),
                testing::ElementsAre(testing::Pair("vary", "at night|at noon"),
                                     testing::Pair("cfg_scale", "4.0"), testing::Pair("no_t5", "true")));
}

TEST(Record, HasAnotherNameForEachSamplingMethod) {
    Record record = example();
    std::vector<std::string> names;
    for (const std::string_view method : split(find_setting("sampling_method")->choices, '|')) {
        if (method == "default") continue;  // a record has the one that was used
        record.settings.sampling_method = method;
        const Infotext info = infotext_of(record, {.index = 0, .seed = 7, .place = 0, .prompt = "a car"});
        names.push_back(info.fields.at(1).second);
        EXPECT_NE(names.back(), method);
    }
    EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size());
}

TEST(Record, TellsOtherToolsHowMuchOfAPictureIsMadeAnew) {
    Record record = example();
    record.variation = std::nullopt;
    record.start_image = StartImage{.file = "a.png", .strength = 0.35, .hash = "h"};
    const std::string text = format_infotext(infotext_of(record, {.seed = 8, .prompt = "a car"}));
    EXPECT_THAT(text, testing::HasSubstr("Model: folder, Denoising strength: 0.35, Clip skip: 2"));
}

TEST(Record, TellsOtherToolsWhatTheyAskFor) {
    // The second image came from the fourth of its candidates.
    const ImageOrigin origin{.index = 1, .seed = 8, .place = 3, .prompt = "a blue car"};
    const std::string text = format_infotext(infotext_of(example(), origin));
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
