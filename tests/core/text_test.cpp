#include "core/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace gass {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

std::vector<std::pair<std::size_t, std::string>> lines_of(std::string_view text) {
    std::vector<std::pair<std::size_t, std::string>> lines;
    for (const TextLine& line : prompt_lines(text)) lines.emplace_back(line.number, line.text);
    return lines;
}

TEST(PromptLines, AreTheFilledOnes) {
    EXPECT_THAT(lines_of("\xEF\xBB\xBF"
                         "a\r\n\n \t\nb c\n"),
                ElementsAre(Pair(1, "a"), Pair(4, "b c")));
    EXPECT_THAT(lines_of(""), IsEmpty());
}

TEST(PromptLines, LeaveCommentsOut) {
    EXPECT_THAT(lines_of("# cars\na red car\n#\n# dogs\na dog # 1\n"),
                ElementsAre(Pair(2, "a red car"), Pair(5, "a dog # 1")));
    EXPECT_THAT(lines_of("\\#1 fan\n\\\\# x\n\\a\n #x\n"),
                ElementsAre(Pair(1, "#1 fan"), Pair(2, "\\\\# x"), Pair(3, "\\a"), Pair(4, " #x")));
    EXPECT_THAT(lines_of("#a\r\n#b"), IsEmpty());
}

}  // namespace
}  // namespace gass
