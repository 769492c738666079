#include "text/prompt_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

namespace gass {
namespace {

using testing::ElementsAre;
using testing::Pair;

/// How often each prompt comes among the first images.
std::map<std::string, int> counts(std::string_view text, std::size_t images, std::uint64_t seed) {
    const PromptTemplate prompt(text);
    std::map<std::string, int> result;
    for (std::size_t i = 0; i < images; ++i) ++result[prompt.expand(i, seed)];
    return result;
}

TEST(PromptTemplate, TakesEachOptionEquallyOften) {
    EXPECT_THAT(counts("{red|blue} car", 8, 42), ElementsAre(Pair("blue car", 4), Pair("red car", 4)));
    EXPECT_THAT(counts("{a|b|c}", 9, 1), ElementsAre(Pair("a", 3), Pair("b", 3), Pair("c", 3)));
    EXPECT_THAT(counts("car{| at night}", 4, 0), ElementsAre(Pair("car", 2), Pair("car at night", 2)));
    EXPECT_THAT(counts("{|}", 2, 0), ElementsAre(Pair("", 2)));
}

TEST(PromptTemplate, NestedChoicesAreBalancedAmongTheImagesThatShowThem) {
    EXPECT_THAT(counts("{a|{b|{c|d}}}", 16, 7),
                ElementsAre(Pair("a", 8), Pair("b", 4), Pair("c", 2), Pair("d", 2)));
    EXPECT_THAT(counts("{{a|b|c}|{x|y}}", 12, 7),
                ElementsAre(Pair("a", 2), Pair("b", 2), Pair("c", 2), Pair("x", 3), Pair("y", 3)));
}

TEST(PromptTemplate, ChoicesDoNotMoveTogether) {
    EXPECT_EQ(counts("{a|b}{c|d}{e|f}", 200, 3).size(), 8U);
    std::set<std::string> orders;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const PromptTemplate prompt("{a|b|c}");
        orders.insert(prompt.expand(0, seed) + prompt.expand(1, seed) + prompt.expand(2, seed));
    }
    EXPECT_EQ(orders.size(), 6U);
}

TEST(PromptTemplate, OtherBracesAndBarsAreText) {
    for (const char* text : {"", "a car", "a {red} car", "a|b", "{", "}", "}{", "{a|b", "a|b}", "{}", "\\",
                             "a\\b", "\\n", "{{}}", "{a} | {b}"}) {
        const PromptTemplate prompt(text);
        EXPECT_FALSE(prompt.has_choices()) << text;
        EXPECT_EQ(prompt.expand(3, 4), text);
    }
    EXPECT_EQ(PromptTemplate(R"(\{a\|b\})").expand(0, 0), "{a|b}");
    EXPECT_EQ(PromptTemplate(R"(\\{a})").expand(0, 0), R"(\{a})");
    EXPECT_THAT(counts(R"({\||\}|\{})", 3, 0), ElementsAre(Pair("{", 1), Pair("|", 1), Pair("}", 1)));
    EXPECT_THAT(counts("{{a|b}}", 2, 0), ElementsAre(Pair("{a}", 1), Pair("{b}", 1)));
    EXPECT_THAT(counts("{x|{a}}", 2, 0), ElementsAre(Pair("x", 1), Pair("{a}", 1)));
    EXPECT_THAT(counts("{ {a|b}", 2, 0), ElementsAre(Pair("{ a", 1), Pair("{ b", 1)));
    EXPECT_THAT(counts("{a|b}}|", 2, 0), ElementsAre(Pair("a}|", 1), Pair("b}|", 1)));
}

TEST(PromptTemplate, HostileTextsTakeLinearTime) {
    const auto start = std::chrono::steady_clock::now();
    const std::size_t size = 60'000;
    std::string nested;
    for (std::size_t i = 0; i < size / 3; ++i) nested += "{|";
    nested += std::string(size / 3, '}');
    std::string flat;
    for (std::size_t i = 0; i < size / 3; ++i) flat += "{|}";
    for (const std::string& text :
         {std::string(size, '{'), std::string(size, '}'), "{" + std::string(size, '|') + "}", nested, flat,
          std::string(size / 2, '{') + std::string(size / 2, '}'), std::string(size, '\\')}) {
        const PromptTemplate prompt(text);
        for (std::size_t i = 0; i < 10; ++i) EXPECT_LE(prompt.expand(i, i).size(), text.size());
    }
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

/// A text of the characters that mean something.
std::string random_template() {
    return *rc::gen::container<std::string>(rc::gen::element('{', '{', '}', '}', '|', '|', '\\', 'a', 'b'));
}

/// The text with its marks escaped.
std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '{' || c == '|' || c == '}') out += '\\';
        out += c;
    }
    return out;
}

TEST(PromptTemplate, Properties) {
    EXPECT_TRUE(rc::check("anything expands, and the same way again", [] {
        const std::string text = random_template();
        const auto image = *rc::gen::arbitrary<std::size_t>();
        const auto seed = *rc::gen::arbitrary<std::uint64_t>();
        const std::string prompt = PromptTemplate(text).expand(image, seed);
        RC_ASSERT(prompt == PromptTemplate(text).expand(image, seed));
        RC_ASSERT(prompt.size() <= text.size());
    }));
    EXPECT_TRUE(rc::check("escaped text comes back", [] {
        std::string text = random_template();
        text.erase(std::remove(text.begin(), text.end(), '\\'), text.end());
        const PromptTemplate prompt(escaped(text));
        RC_ASSERT(!prompt.has_choices());
        RC_ASSERT(prompt.expand(0, 0) == text);
    }));
    EXPECT_TRUE(rc::check("every block of n images has each of n options once", [] {
        const auto count = *rc::gen::inRange<std::size_t>(2, 12);
        const auto seed = *rc::gen::arbitrary<std::uint64_t>();
        const auto block = *rc::gen::inRange<std::size_t>(0, 1'000'000);
        std::string text = "{0";
        for (std::size_t i = 1; i < count; ++i) text += "|" + std::to_string(i);
        const PromptTemplate prompt(text + "}");
        std::set<std::string> seen;
        for (std::size_t i = 0; i < count; ++i) seen.insert(prompt.expand(block * count + i, seed));
        RC_ASSERT(seen.size() == count);
    }));
}

}  // namespace
}  // namespace gass
