#include "engine/request.h"

#include "core/text.h"
#include "record/recorded_settings.h"
#include "support/expect_error.h"

#include <set>
#include <type_traits>

namespace gass {
namespace {

TEST(Request, TakesTheSettings) {
    Settings settings;
    settings.set_object(
        SettingLayer::config,
        Json{{"steps", 5}, {"cfg_scale", 2.5}, {"negative_prompt", "fog"}, {"vae_tiling", true}}, "test");
    const Request request = request_from(settings);
    EXPECT_EQ(request.steps, 5);
    EXPECT_EQ(request.images, 4);  // built in
    EXPECT_EQ(request.cfg_scale, 2.5);
    EXPECT_EQ(request.width, std::nullopt);
    EXPECT_EQ(request.negative_prompt, "fog");
    EXPECT_TRUE(engine_options_from(settings).vae_tiling);
    EXPECT_FALSE(engine_options_from(settings).no_t5);
}

TEST(Request, AsksForARecordedSetAgain) {
    Record record;
    record.prompt = "a car";
    record.seeds = {7, 8, 9};
    record.variation = Variation{3, 0.25};
    record.shield = {"/a.png"};
    record.settings.model = "mini-unet";
    record.settings.images = 2;
    record.settings.method = "gass:candidates=2";
    record.settings.dtype = "bf16";
    const Request request = request_from(record);
    EXPECT_EQ(request.prompt, "a car");
    EXPECT_EQ(request.images, 2);
    EXPECT_EQ(request.seeds, record.seeds);
    EXPECT_EQ(request.variation, record.variation);
    EXPECT_EQ(request.shield_files, record.shield);
    EXPECT_EQ(request.method, "gass:candidates=2");
    EXPECT_EQ(request.steps, std::nullopt);  // which an old record may lack
    EXPECT_EQ(engine_options_from(record).model, "mini-unet");
    EXPECT_EQ(engine_options_from(record).dtype, "bf16");
    EXPECT_EQ(engine_options_from(record).device, "auto");
}

/// A value that no setting has of itself.
template <class Value>
Value some_value() {
    if constexpr (std::is_same_v<Value, std::string>)
        return "some";
    else
        return Value(3);
}

TEST(Request, AsksForEachRecordedSettingThatARequestHas) {
    Record record;
    std::set<std::string> recorded;
    visit_settings(record.settings, [&]<class Value>(const char* key, std::optional<Value>& value) {
        value = some_value<Value>();
        recorded.insert(key);
    });
    const Request request = request_from(record);
    std::set<std::string> asked;
    visit_request(request, [&]<class Value>(const char* key, const std::optional<Value>& value) {
        if (!recorded.contains(key)) return;
        asked.insert(key);
        EXPECT_EQ(value, some_value<Value>()) << key;
    });
    EXPECT_TRUE(asked.contains("steps") && asked.contains("scheduler") && asked.contains("cfg_scale"));
}

TEST(Request, PromptsAreChecked) {
    check_prompt("", "-p");
    check_prompt(std::string(kMaxPromptBytes, 'x'), "-p");
    test::expect_error(ErrorCode::usage, "[-p] the text has 65537 bytes",
                       [] { check_prompt(std::string(kMaxPromptBytes + 1, 'x'), "-p"); });
    test::expect_error(ErrorCode::usage, "not UTF-8", [] { check_prompt("a\xff car", "-p"); });
    test::expect_error(ErrorCode::usage, "[`vary`] the text holds a zero byte",
                       [] { check_prompt(std::string("a\0b", 3), SettingKey("vary")); });
}

TEST(Request, SeedsCountUp) {
    EXPECT_EQ(consecutive_seeds(5, 3), (std::vector<std::uint64_t>{5, 6, 7}));
    EXPECT_EQ(consecutive_seeds(kMaxSeed, 1).front(), kMaxSeed);
    test::expect_error(ErrorCode::usage, "[`seed`]", [] { consecutive_seeds(kMaxSeed, 2); });
}

TEST(Request, SeedsGoOnFromTheLargest) {
    EXPECT_EQ(seeds_for({9, 4}, 4), (std::vector<std::uint64_t>{9, 4, 10, 11}));
    EXPECT_EQ(seeds_for({9, 4}, 1), (std::vector<std::uint64_t>{9}));
}

}  // namespace
}  // namespace gass
