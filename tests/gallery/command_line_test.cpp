#include "gallery/command_line.h"

#include "core/settings.h"
#include "gallery/sample.h"
#include "record/record_json.h"
#include "record/samples.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cstdio>
#include <map>
#include <memory>

namespace gass {
namespace {

using gallery::command_words;
using testing::HasSubstr;
using testing::Not;

std::string command_of(const Record& record) {
    return fmt::format("{}", fmt::join(command_words(record), " "));
}

/// What a shell makes of a command: the arguments behind the program's name.
std::vector<std::string> arguments_of(const Record& record) {
    std::string script = "gass() { printf '%s\\0' \"$@\"; }\n" + command_of(record);
    ::setenv("GASS_TEST_SCRIPT", script.c_str(), 1);
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen("eval \"$GASS_TEST_SCRIPT\"", "r"),
                                                               ::pclose);
    std::string output;
    std::array<char, 4096> buffer{};
    for (std::size_t read = 0; (read = std::fread(buffer.data(), 1, buffer.size(), pipe.get())) > 0;)
        output.append(buffer.data(), read);
    ::unsetenv("GASS_TEST_SCRIPT");
    std::vector<std::string> arguments;
    for (std::size_t at = 0; at < output.size();) {
        const std::size_t end = output.find('\0', at);
        arguments.push_back(output.substr(at, end - at));
        at = end + 1;
    }
    return arguments;
}

/// The values of a command's flags, by the names of settings; "" for one that takes none.
std::map<std::string, std::string> flags_of(const Record& record) {
    const std::vector<std::string> arguments = arguments_of(record);
    std::map<std::string, std::string> flags;
    EXPECT_EQ(arguments.at(0), "generate");
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        std::string key = arguments[i] == "-p" ? "prompt" : arguments[i].substr(2);
        std::ranges::replace(key, '-', '_');
        const SettingSpec* spec = find_setting(key);
        const bool has_value = spec == nullptr || spec->type != SettingType::boolean;
        EXPECT_FALSE(flags.contains(key)) << key;
        flags[key] = has_value ? arguments.at(++i) : "";
    }
    return flags;
}

TEST(CommandLine, IsWhatAUserWouldType) {
    EXPECT_EQ(command_of(sample_group().record),
              "gass generate -p 'a red car' --model models/mini-flow/ --guide mini-clip "
              "--vary 'at night|at noon' --negative-prompt 'rain, fog' --images 8 --steps 28 --cfg-scale 4.5 "
              "--width 128 --height 128 --method gass:strength=0.8,interval=0.76,candidates=1 "
              "--sampling-method euler --scheduler default --clip-skip 0 --max-sequence-length 24 --seed 42");
}

TEST(CommandLine, SaysNothingOfTheMachine) {
    Record record = sample_group().record;
    record.settings.offload_to_cpu = record.settings.vae_slicing = true;
    const auto flags = flags_of(record);
    for (const char* key : {"device", "dtype", "threads", "max_batch", "offload_to_cpu", "vae_slicing"})
        EXPECT_FALSE(flags.contains(key)) << key;
}

TEST(CommandLine, NamesEverythingElseThatDecidesTheImages) {
    Record record = sample_group().record;
    record.settings.no_t5 = record.settings.vae_tiling = true;
    record.settings.variant = "fp16";
    record.settings.format = "webp";
    record.settings.quality = 80;
    record.settings.negative_prompt = "false";
    const auto flags = flags_of(record);
    EXPECT_EQ(flags.at("no_t5"), "");
    EXPECT_EQ(flags.at("vae_tiling"), "");
    EXPECT_EQ(flags.at("variant"), "fp16");
    EXPECT_EQ(flags.at("format"), "webp");
    EXPECT_EQ(flags.at("quality"), "80");
    EXPECT_EQ(flags.at("negative_prompt"), "false");
}

TEST(CommandLine, GoesThroughAShellWhole) {
    Record record = sample_group().record;
    for (const std::string text :
         {"it's", "$HOME `id` $(id)", "a \"b\" \\ c", "*?[a]~", "!x; rm -rf /; #", "a\nb\tc", "", " ", "''",
          "-5 degrees", "--help", "& | < >", "שלום 🚗", "{a|b}", "%s %%", "\x1b[2J"}) {
        record.prompt = text;
        record.settings.negative_prompt = text;
        record.start_image = StartImage{.file = "/tmp/" + text + ".png", .strength = 0.5};
        const auto flags = flags_of(record);
        EXPECT_EQ(flags.at("prompt"), text);
        EXPECT_EQ(flags.at("init_image"), "/tmp/" + text + ".png");
        if (!text.empty()) {
            EXPECT_EQ(flags.at("negative_prompt"), text);
        }
    }
}

RC_GTEST_PROP(CommandLine, GivesTheSameSettings, ()) {
    Record record = sample_group(1).record;
    RecordedSettings& settings = record.settings;
    record.prompt = test::any_text();
    settings.negative_prompt = test::any_text();
    settings.model = "m" + test::any_text();
    settings.steps = *rc::gen::inRange(1, 1000);
    settings.cfg_scale = *rc::gen::inRange(0, 1'000'000) / 1e4;
    settings.clip_skip = *rc::gen::inRange(0, 64);
    settings.scheduler = *rc::gen::element<std::string>("default", "karras");
    settings.no_t5 = *rc::gen::arbitrary<bool>();
    if (*rc::gen::arbitrary<bool>()) settings.variant = "v" + test::any_text();

    Settings parsed;
    for (const auto& [key, value] : flags_of(record)) {
        if (const SettingSpec* spec = find_setting(key); spec != nullptr)
            parsed.set_text(SettingLayer::flag, *spec, spec->type == SettingType::boolean ? "true" : value,
                            key);
    }
    for (const auto& [key, text] : texts_of(settings)) {
        if (key == "device" || key == "dtype" || key == "threads" || key == "max_batch") continue;
        RC_ASSERT(parsed.text(key) == text);
    }
}

TEST(CommandLine, NamesTheSeedsAsShortAsItCan) {
    Record record = sample_group(2).record;
    const auto seeds = [&](std::vector<std::uint64_t> list) {
        record.seeds = std::move(list);
        const auto flags = flags_of(record);
        return flags.contains("seed") ? "from " + flags.at("seed") : flags.at("seeds");
    };
    EXPECT_EQ(seeds({7}), "from 7");
    EXPECT_EQ(seeds({7, 8, 9}), "from 7");
    EXPECT_EQ(seeds({7, 9}), "7,9");
    EXPECT_EQ(seeds({9, 8}), "9,8");
    EXPECT_EQ(seeds({7, 7}), "7,7");
    record.variation = Variation{100, 0.0};
    EXPECT_EQ(seeds({7, 8}), "from 7");
    record.variation = Variation{100, 0.3};
    EXPECT_EQ(seeds({7, 7}), "from 7");  // variations of one image
    EXPECT_EQ(seeds({7, 8}), "7,8");     // of each
    EXPECT_EQ(flags_of(record).at("variation_seed"), "100");
    EXPECT_EQ(flags_of(record).at("variation_strength"), "0.3");
}

TEST(CommandLine, NamesTheStartImage) {
    Record record = sample_group(2).record;
    EXPECT_THAT(command_of(record), Not(HasSubstr("--init-image")));
    record.start_image = StartImage{.file = "/pictures/my car.png", .strength = 0.35};
    EXPECT_TRUE(command_of(record).ends_with("--init-image '/pictures/my car.png' --denoise 0.35"));
}

TEST(CommandLine, NamesWhatAllPicturesOfAShieldAreIn) {
    Record record = sample_group(2).record;
    const auto shield = [&](std::vector<std::string> files) {
        record.shield = std::move(files);
        return flags_of(record).at("shield");
    };
    EXPECT_EQ(shield({"/a/b/1.png"}), "/a/b/1.png");
    EXPECT_EQ(shield({"/a/b/1.png", "/a/b/2.png"}), "/a/b");
    EXPECT_EQ(shield({"/a/b/1.png", "/a/b/c/2.png"}), "/a/b");
    EXPECT_EQ(shield({"/a/b/1.png", "/a/bc/2.png", "/a/d/e/3.png"}), "/a");
    EXPECT_EQ(shield({"/1.png", "/a/2.png"}), "/");
}

}  // namespace
}  // namespace gass
