#include "core/settings.h"

#include "support/expect_error.h"

#include <gmock/gmock.h>

#include <cstdlib>

namespace gass {
namespace {

using test::expect_error;

const SettingSpec& spec(std::string_view key) {
    return *find_setting(key);
}

TEST(Settings, LaterLayersWin) {
    Settings settings;
    EXPECT_EQ(settings.find("steps"), nullptr);
    EXPECT_EQ(settings.text("max_sequence_length"), "256");
    EXPECT_EQ(settings.origin("max_sequence_length"), "built in");

    // Put in from the strongest to the weakest, so that the order of the calls cannot be what decides.
    settings.set_text(SettingLayer::flag, spec("steps"), "7", "--steps");
    settings.set_object(SettingLayer::picture, Json{{"steps", 6}, {"cfg_scale", 6.0}}, "0001.png");
    settings.set_text(SettingLayer::environment, spec("cfg_scale"), "5", "GASS_CFG_SCALE");
    settings.set_text(SettingLayer::environment, spec("steps"), "5", "GASS_STEPS");
    settings.set_object(SettingLayer::config, Json{{"steps", 4}}, "c.json");
    settings.set_object(SettingLayer::preset, Json{{"steps", 3}, {"width", 64}}, "preset");
    settings.set_object(SettingLayer::user, Json{{"width", 96}, {"height", 96}}, "user");
    settings.set_object(SettingLayer::model,
                        Json{{"steps", 2}, {"width", 128}, {"height", 128}, {"clip_skip", 1}}, "gass.json");
    EXPECT_EQ(settings.text("steps"), "7");
    EXPECT_EQ(settings.origin("steps"), "--steps");
    EXPECT_EQ(settings.origin("cfg_scale"), "0001.png");
    EXPECT_EQ(settings.text("width"), "64");
    EXPECT_EQ(settings.text("height"), "96");
    EXPECT_EQ(settings.origin("height"), "user");
    EXPECT_EQ(settings.text("clip_skip"), "1");
}

TEST(Settings, ResolvedReadsBack) {
    Settings settings;
    settings.set_text(SettingLayer::flag, spec("cfg_scale"), "4.5", "--cfg-scale");
    Settings again;
    again.set_object(SettingLayer::config, settings.resolved(), "c.json");
    EXPECT_EQ(again.resolved(), settings.resolved());
    EXPECT_EQ(again.text("cfg_scale"), "4.5");
}

TEST(Settings, BadValuesNameTheirOrigin) {
    Settings settings;
    const auto refused = [&](std::string_view key, const char* text, const char* part) {
        expect_error(ErrorCode::usage, part,
                     [&] { settings.set_text(SettingLayer::flag, spec(key), text, "--here"); });
        EXPECT_NE(settings.origin(key), "--here");
    };
    refused("steps", "0", "[--here] steps: expected 1 to 1000, got \"0\"");
    refused("steps", "many", "expected a whole number");
    refused("steps", "2.5", "expected a whole number");
    refused("steps", "", "expected a whole number");
    refused("steps", "99999999999999999999", "expected a whole number");
    refused("cfg_scale", "nan", "expected a number, got \"nan\"");
    refused("cfg_scale", "-inf", "expected a number, got \"-inf\"");
    refused("model", "a\xff", "expected text in UTF-8, got \"a\\xff\"");
    refused("cfg_scale", "4x", "expected a number");
    refused("width", "7", "expected 8 to 16384");
    refused("width", "65", "expected a multiple of 8");
    refused("log_level", "loud", "expected one of error, warn, info, debug");
    refused("sampling_method", "eular", "got \"eular\" (did you mean \"euler\"?)");
}

TEST(Settings, UnknownKeysAreErrors) {
    Settings settings;
    expect_error(ErrorCode::usage, "[c.json] unknown setting \"stepz\" (did you mean \"steps\"?)", [&] {
        settings.set_object(SettingLayer::config, Json{{"stepz", 1}}, "c.json");
    });
    expect_error(ErrorCode::usage, "expected a JSON object",
                 [&] { settings.set_object(SettingLayer::config, Json::array(), "c.json"); });
    expect_error(ErrorCode::model_invalid, "expected a whole number", [&] {
        settings.set_object(SettingLayer::model, Json{{"steps", "x"}}, "gass.json", ErrorCode::model_invalid);
    });
}

TEST(Settings, EnvironmentNamesSettings) {
    ::setenv("GASS_STEPS", "12", 1);
    Settings settings;
    settings.set_environment();
    EXPECT_EQ(settings.text("steps"), "12");
    EXPECT_EQ(settings.origin("steps"), "GASS_STEPS");
    ::setenv("GASS_STEPZ", "13", 1);
    EXPECT_NO_THROW(settings.set_environment());
    EXPECT_EQ(settings.text("steps"), "12");
    ::unsetenv("GASS_STEPZ");
    ::unsetenv("GASS_STEPS");
}

TEST(Settings, UnknownVariablesAreWarnedOf) {
    const auto warned = [](const char* name) {
        ::setenv(name, "1", 1);
        testing::internal::CaptureStderr();
        warn_of_unknown_variables();
        ::unsetenv(name);
        return testing::internal::GetCapturedStderr();
    };
    EXPECT_THAT(warned("GASS_STEPZ"), testing::AllOf(testing::HasSubstr("warning: [GASS_STEPZ]"),
                                                     testing::HasSubstr("(did you mean \"GASS_STEPS\"?)")));
    EXPECT_THAT(warned("GASS_ZEBRA"), testing::Not(testing::HasSubstr("did you mean")));
    for (const char* known : {"GASS_STEPS", "GASS_CACHE_DIR", "GASS_USER_CONFIG"})
        EXPECT_EQ(warned(known), "");
}

TEST(Settings, EveryBuiltInValueIsValidAndEveryKeyUnique) {
    EXPECT_NO_THROW(Settings());
    for (const SettingSpec& row : setting_specs()) EXPECT_EQ(find_setting(row.key), &row);
}

}  // namespace
}  // namespace gass
