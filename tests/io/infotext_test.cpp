#include "io/infotext.h"

#include "io/image_samples.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <chrono>

namespace gass {
namespace {

using namespace std::string_literals;
using test::code_of;

using Fields = std::vector<std::pair<std::string, std::string>>;
const Fields kFields = {{"Steps", "20"}, {"Sampler", "Euler a"}, {"Seed", "1"}};

/// Pieces that the format is likely to trip over.
rc::Gen<std::string> nasty_text(bool may_say_negative) {
    std::vector<std::string> pieces = {"a",
                                       "cat",
                                       ",",
                                       ":",
                                       "\n",
                                       " ",
                                       "\"",
                                       "\\",
                                       "\\\"",
                                       "猫",
                                       "é",
                                       "\t",
                                       "\r",
                                       "{",
                                       "1:2",
                                       "k: v",
                                       "😀",
                                       "/",
                                       "-",
                                       "\u00A0",
                                       "\u3000",
                                       "\u2028",
                                       "\x01",
                                       "Steps: 1, Seed: 2, Size: 3x3",
                                       "\nSteps: 1, Seed: 2, Size: 3x3"};
    if (may_say_negative) pieces.emplace_back("\nNegative prompt: ");
    return rc::gen::map(rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(pieces)),
                        [](const auto& parts) {
                            std::string text;
                            for (const std::string& part : parts) text += part;
                            return text;
                        });
}

rc::Gen<std::string> any_key() {
    return rc::gen::elementOf(std::vector<std::string>{"Steps", "CFG scale", "GASS strength", "Hires-fix",
                                                       "a/b", "Größe", "_x", "12", "k ", "Negative prompt"});
}

TEST(Infotext, GivesBackWhatWasFormatted) {
    EXPECT_TRUE(rc::check([] {
        Infotext info;
        info.prompt = *nasty_text(false);
        info.negative_prompt = *nasty_text(true);
        info.fields =
            *rc::gen::suchThat(rc::gen::container<Fields>(rc::gen::pair(any_key(), nasty_text(true))),
                               [](const Fields& fields) { return fields.size() >= 3; });
        RC_ASSERT(parse_infotext(format_infotext(info)) == info);
    }));
}

TEST(Infotext, WithoutFieldsGivesBackPlainPrompts) {
    EXPECT_TRUE(rc::check([] {
        const std::string prompt = *rc::gen::container<std::string>(rc::gen::elementOf("ab \n,\""s));
        const Infotext info{prompt, *rc::gen::element<std::string>("", "ugly", "two\nlines"), {}};
        RC_ASSERT(parse_infotext(format_infotext(info)) == info);
    }));
}

TEST(Infotext, NeverFailsOnAnything) {
    EXPECT_TRUE(rc::check([](const std::string& text) { parse_infotext(text); }));
    EXPECT_TRUE(rc::check([] {
        const Infotext once = parse_infotext(*nasty_text(true));
        RC_ASSERT(once.fields.empty() || once.fields.size() >= 3);
    }));
}

TEST(Infotext, ReadsWhatA1111Writes) {
    const Infotext info = parse_infotext(
        "girl with a beret, (blue eyes:1.2)\nsecond line\nNegative prompt: ugly, fat\nmore: yes\n"
        "Steps: 20, Sampler: Euler a, CFG scale: 7, Seed: 965400086, Size: 512x512, Model hash: 45dee52b, "
        "Lora hashes: \"one: 1a, two: 2b\", Hires prompt: \"a \\\"b\\\"\\nc\", Version: v1.9.4\n");
    EXPECT_EQ(info.prompt, "girl with a beret, (blue eyes:1.2)\nsecond line");
    EXPECT_EQ(info.negative_prompt, "ugly, fat\nmore: yes");
    const Fields expected = {{"Steps", "20"},
                             {"Sampler", "Euler a"},
                             {"CFG scale", "7"},
                             {"Seed", "965400086"},
                             {"Size", "512x512"},
                             {"Model hash", "45dee52b"},
                             {"Lora hashes", "one: 1a, two: 2b"},
                             {"Hires prompt", "a \"b\"\nc"},
                             {"Version", "v1.9.4"}};
    EXPECT_EQ(info.fields, expected);
}

TEST(Infotext, WritesWhatA1111Reads) {
    EXPECT_EQ(format_infotext(
                  {"a cat", "ugly", {{"Diversity", "gass"}, {"Group seeds", "1,2"}, {"GASS steps", "1-10"}}}),
              "a cat\nNegative prompt: ugly\nDiversity: gass, Group seeds: \"1,2\", GASS steps: 1-10");
    EXPECT_EQ(format_infotext({"", "", kFields}), "Steps: 20, Sampler: Euler a, Seed: 1");
    EXPECT_EQ(format_infotext({"", "ugly", kFields}),
              "Negative prompt: ugly\nSteps: 20, Sampler: Euler a, Seed: 1");
    EXPECT_EQ(format_infotext({"猫", "", {{"Empty", ""}, {"Model", "猫"}, {"Space", " x"}}}),
              "猫\nEmpty: \"\", Model: 猫, Space: \" x\"");
}

TEST(Infotext, FewerThanThreePairsAreAPrompt) {
    EXPECT_EQ(parse_infotext("a cat\nSteps: 1, Seed: 2"), (Infotext{"a cat\nSteps: 1, Seed: 2", "", {}}));
    EXPECT_EQ(parse_infotext(""), Infotext{});
    // A one-letter key does not count.
    EXPECT_EQ(parse_infotext("a: 1, b: 2, c: 3").prompt, "a: 1, b: 2, c: 3");
}

TEST(Infotext, SplitsAmbiguousPromptsAsA1111Does) {
    const Infotext info{"x\n  Negative prompt: y", "z", kFields};
    EXPECT_EQ(parse_infotext(format_infotext(info)), (Infotext{"x", "y\nNegative prompt: z", kFields}));
    EXPECT_EQ(parse_infotext(format_infotext({"Aa: 1, Bb: 2, Cc: 3", "", {}})).prompt, "");
}

TEST(Infotext, RefusesFieldsThatNobodyCouldReadBack) {
    EXPECT_EQ(code_of([] { format_infotext({"p", "", {{"Steps", "1"}}}); }), ErrorCode::usage);
    for (const std::string& key : {""s, "a"s, " ab"s, "a:b"s, "a,b"s, "a\nb"s, "\xFF\xFF"s}) {
        EXPECT_EQ(code_of([&] {
                      format_infotext({"p", "", {{key, "1"}, {"bb", "2"}, {"cc", "3"}}});
                  }),
                  ErrorCode::usage);
    }
}

TEST(Infotext, TakesLinearTime) {
    const auto start = std::chrono::steady_clock::now();
    for (const std::string& piece : {"a"s, " "s, "aa:\""s, "aa: \"\\\","s, ":"s, "\""s, "\\"s, "\u3000"s,
                                     "aa:"s, "\n "s, "Negative prompt:"s, "aa: \"b\"c,"s}) {
        std::string text;
        while (text.size() < (std::size_t{1} << 20U)) text += piece;
        parse_infotext(text);
    }
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

}  // namespace
}  // namespace gass
