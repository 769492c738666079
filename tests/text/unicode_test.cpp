#include "text/unicode.h"

#include "core/quote.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace gass {
namespace {

std::string random_text() {
    const auto code_points = *rc::gen::container<std::vector<std::int32_t>>(
        rc::gen::oneOf(rc::gen::inRange(0, 0x250), rc::gen::inRange(0x300, 0x370),
                       rc::gen::inRange(0x1100, 0x11FF), rc::gen::inRange(0x1E00, 0x2000),
                       rc::gen::inRange(0xAC00, 0xD800), rc::gen::inRange(0x10000, 0x110000)));
    std::string text;
    for (const std::int32_t c : code_points) append_utf8(text, c);
    return text;
}

TEST(Unicode, ComposesMarks) {
    EXPECT_EQ(to_nfc("e\u0301"), "\u00e9");
    EXPECT_EQ(to_nfc("a\u0301\u0323"), "\u1ea1\u0301");
    EXPECT_EQ(to_nfc("\u1100\u1161\u11a8"), "\uac01");
    EXPECT_EQ(to_nfc("\u212b"), "\u00c5");
    EXPECT_EQ(to_nfc("\ufb01"), "\ufb01");
    EXPECT_EQ(to_nfc("q\u1df6\u0334"), "q\u1df6\u0334")
        << "a mark that the reference does not know must not move";
}

TEST(Unicode, LowersEachCodePointForItself) {
    EXPECT_EQ(to_lower("\u0130"), "i\u0307");
    EXPECT_EQ(to_lower("\u039f\u03a3"), "\u03bf\u03c3") << "no special sigma at the end of a word";
    EXPECT_EQ(to_lower("\u1e9e\ua7cb"), "\u00df\u0264");
}

TEST(Unicode, KnowsWhiteSpaceAndWords) {
    for (const int c : {0x09, 0x20, 0x85, 0xA0, 0x2028, 0x3000}) EXPECT_TRUE(is_space(c)) << c;
    for (const int c : {0x1C, 0x180E, 0x200B, 0xFEFF, 0x61}) EXPECT_FALSE(is_space(c)) << c;
    for (const int c : {0x61, 0x30, 0x5F, 0x301, 0x4E00, 0x200D, 0x24B6}) EXPECT_TRUE(is_word(c)) << c;
    for (const int c : {0x2D, 0x20, 0xB2, 0x1F600}) EXPECT_FALSE(is_word(c)) << c;
}

RC_GTEST_PROP(Unicode, NormalFormCIsStable, ()) {
    const std::string once = to_nfc(random_text());
    RC_ASSERT(is_utf8(once));
    RC_ASSERT(to_nfc(once) == once);
}

RC_GTEST_PROP(Unicode, LowerCaseIsUtf8, ()) {
    RC_ASSERT(is_utf8(to_lower(random_text())));
}

RC_GTEST_PROP(Unicode, FirstAndLastCodePointAgree, ()) {
    const auto c = *rc::gen::oneOf(rc::gen::inRange(0, 0xD800), rc::gen::inRange(0xE000, 0x110000));
    std::string text;
    append_utf8(text, c);
    RC_ASSERT(first_code_point(text).value == c);
    RC_ASSERT(last_code_point("x" + text).value == c);
}

}  // namespace
}  // namespace gass
