#include "engine/request.h"

#include "support/expect_error.h"

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

TEST(Request, PromptsAreChecked) {
    check_prompt("", "-p");
    check_prompt(std::string(kMaxPromptBytes, 'x'), "-p");
    test::expect_error(ErrorCode::usage, "[-p] the text has 65537 bytes",
                       [] { check_prompt(std::string(kMaxPromptBytes + 1, 'x'), "-p"); });
    test::expect_error(ErrorCode::usage, "not UTF-8", [] { check_prompt("a\xff car", "-p"); });
    test::expect_error(ErrorCode::usage, "zero byte", [] { check_prompt(std::string("a\0b", 3), "-p"); });
}

TEST(Request, SeedsCountUp) {
    EXPECT_EQ(consecutive_seeds(5, 3), (std::vector<std::uint64_t>{5, 6, 7}));
    EXPECT_EQ(consecutive_seeds(kMaxSeed, 1).front(), kMaxSeed);
    test::expect_error(ErrorCode::usage, "[--seed]", [] { consecutive_seeds(kMaxSeed, 2); });
}

}  // namespace
}  // namespace gass
