#include "eval/run/identity.h"

#include "record/recorded_settings.h"

#include <gmock/gmock.h>

namespace gass::eval {
namespace {

/// A record with everything that one can have.
Json full_record() {
    return {{"gass", "0.1.0"},
            {"fingerprint", "f"},
            {"machine", "LibTorch"},
            {"prompt", "a red car"},
            {"seeds", {1, 2}},
            {"variation", {{"seed", 3}, {"strength", 0.5}}},
            {"shield", Json::array({"old.png"})},
            {"settings",
             {{"model", "/models/m"},
              {"variant", "fp16"},
              {"guide", "/models/clip"},
              {"vary", "red|blue"},
              {"negative_prompt", "fog"},
              {"images", 2},
              {"steps", 3},
              {"cfg_scale", 4.5},
              {"width", 64},
              {"height", 48},
              {"method", "gass:a=1"},
              {"sampling_method", "euler"},
              {"scheduler", "karras"},
              {"clip_skip", 1},
              {"max_sequence_length", 24},
              {"dtype", "bf16"},
              {"device", "cuda:1"},
              {"threads", 7},
              {"max_batch", 8},
              {"offload_to_cpu", false},
              {"vae_tiling", true},
              {"vae_slicing", false},
              {"no_t5", true}}}};
}

constexpr const char* kIdentity =
    R"({"gass":"0.1.0","fingerprint":"f","variation":{"seed":3,"strength":0.5},"shield":["old.png"],)"
    R"("settings":{"variant":"fp16","guide":"fingerprint of clip","vary":"red|blue","negative_prompt":"fog",)"
    R"("images":2,"steps":3,"cfg_scale":4.5,"width":64,"height":48,"method":"gass:a=1",)"
    R"("sampling_method":"euler","scheduler":"karras","clip_skip":1,"max_sequence_length":24,"dtype":"bf16",)"
    R"("device":"cuda","offload_to_cpu":false,"vae_tiling":true,"vae_slicing":false,"no_t5":true}})";

/// A new setting comes here, and into the list of identity.cpp if it decides bytes: two groups that differ in
/// it alone would otherwise be taken for one.
TEST(Identity, IsAskedOfEveryRecordedSetting) {
    const Json settings = full_record().at("settings");
    const RecordedSettings recorded;
    visit_settings(recorded, [&](const std::string& key, const auto&) {
        // Evaluations write their pictures in one format.
        EXPECT_TRUE(settings.contains(key) || key == "format" || key == "quality") << key;
    });
}

TEST(Identity, IsTheListedFieldsInTheirOrder) {
    EXPECT_EQ(identity_of(full_record(), "fingerprint of clip").dump(), kIdentity);
}

TEST(Identity, IsTheSameWhateverElseARecordSaysAndInWhichOrder) {
    const Json record = full_record();
    Json another{{"later", "unknown"}};
    for (auto field = record.rbegin(); field != record.rend(); ++field) another[field.key()] = field.value();
    Json settings{{"later", 1}};
    for (auto field = record["settings"].rbegin(); field != record["settings"].rend(); ++field)
        settings[field.key()] = field.value();
    another["settings"] = settings;
    EXPECT_EQ(identity_of(another, "fingerprint of clip").dump(), kIdentity);
}

TEST(Identity, LeavesOutWhatARecordDoesNotHave) {
    Json record = full_record();
    for (const char* key : {"variation", "shield"}) record.erase(key);
    for (const char* key : {"variant", "guide", "vary"}) record["settings"].erase(key);
    const Json identity = identity_of(record, "");
    EXPECT_EQ(identity.size(), 3U);
    EXPECT_EQ(identity["settings"].size(), 17U);
    EXPECT_EQ(identity["settings"].begin().key(), "negative_prompt");
}

}  // namespace
}  // namespace gass::eval
