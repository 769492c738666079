#include "text/prompt_hints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gass {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> hints_of(std::string_view prompt) {
    return PromptHints().of(prompt);
}

TEST(PromptHints, NameWhatOtherProgramsWouldRead) {
    EXPECT_THAT(hints_of("a (red:1.5) car"),
                ElementsAre(HasSubstr("\"(red:1.5)\" is read as plain text: weights")));
    EXPECT_THAT(hints_of("((old) (rusty: 0.8 ))"), ElementsAre(HasSubstr("\"(rusty: 0.8 )\"")));
    EXPECT_THAT(hints_of("a car <lora:noir:0.6>"), ElementsAre(HasSubstr("\"<lora:noir:0.6>\"")));
    EXPECT_THAT(hints_of("a {red|blue car"), ElementsAre(HasSubstr("never closed")));
    EXPECT_THAT(hints_of("{a|{b|c}"), ElementsAre(HasSubstr("never closed")));
    EXPECT_THAT(hints_of("(a:2) {b <lora:c>"), testing::SizeIs(3));
}

TEST(PromptHints, LeavePlainPromptsAlone) {
    for (const char* plain :
         {"", "a red car", "a car (red)", "a screen (16:9)", "a clock (at 12:30)", "(a note: 2 cars)",
          "\\(red:1.5\\)", "(:1.5)", "(red:)", "(red:1.5", "a (b:nan)", "a {red|blue} car", "\\{", "}", "{a}",
          "<lora", "<lora:x", "love <3"})
        EXPECT_THAT(hints_of(plain), IsEmpty()) << plain;
}

TEST(PromptHints, TellEachKindOnce) {
    PromptHints hints;
    EXPECT_EQ(hints.of("(a:1.2)").size(), 1U);
    EXPECT_EQ(hints.of("(b:1.3) {").size(), 1U);
    EXPECT_THAT(hints.of("(c:1.4) {"), IsEmpty());
}

}  // namespace
}  // namespace gass
