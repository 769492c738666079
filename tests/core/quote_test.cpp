#include "core/quote.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace gass {
namespace {

TEST(Quote, EscapesWhatCouldDisturbATerminal) {
    EXPECT_EQ(in_quotes("plain é 漢 🚗"), "\"plain é 漢 🚗\"");
    EXPECT_EQ(in_quotes("\x1b[31mred"), "\"\\x1b[31mred\"");
    EXPECT_EQ(in_quotes("a\nb"), "\"a\\x0ab\"");
    EXPECT_EQ(in_quotes("\xc2\x9b"), "\"\\xc2\\x9b\"");  // U+009B begins a control sequence too
    EXPECT_EQ(in_quotes("\xff\xfe"), "\"\\xff\\xfe\"");
    EXPECT_EQ(printable("a\n\tb\r"), "a\n\tb\\x0d");
}

TEST(Quote, ANameStaysWithinItsLine) {
    EXPECT_EQ(one_line("a\n\tb\x1b"), "a  b\\x1b");
}

TEST(Quote, CutsLongText) {
    const std::string shown = in_quotes(std::string(1000, 'x'));
    EXPECT_LT(shown.size(), 200U);
    EXPECT_TRUE(shown.ends_with("…\""));
}

TEST(Quote, KnowsUtf8) {
    EXPECT_TRUE(is_utf8("é漢🚗"));
    EXPECT_FALSE(is_utf8("\xc0\x80"));          // overlong
    EXPECT_FALSE(is_utf8("\xed\xa0\x80"));      // surrogate
    EXPECT_FALSE(is_utf8("\xf4\x90\x80\x80"));  // above U+10FFFF
    EXPECT_FALSE(is_utf8("\xe6\xbc"));          // cut
}

RC_GTEST_PROP(Quote, WhatIsShownIsAlwaysPrintableUtf8, (const std::string& text)) {
    const std::string shown = in_quotes(text);
    RC_ASSERT(is_utf8(shown));
    RC_ASSERT(
        std::none_of(shown.begin(), shown.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }));
}

TEST(XmlEscaped, HoldsWhatXmlCan) {
    EXPECT_EQ(xml_escaped("<a href='x'>\"&\"</a>"), "&lt;a href=&#39;x&#39;&gt;&quot;&amp;&quot;&lt;/a&gt;");
    EXPECT_EQ(xml_escaped("tab\tnew\nline"), "tab new line");
    EXPECT_EQ(xml_escaped(std::string_view("\x01 \0 \xFF \xEF\xBF\xBF", 9)), "\uFFFD \uFFFD \uFFFD \uFFFD");
    EXPECT_EQ(xml_escaped("]]> – 車"), "]]&gt; – 車");
}

}  // namespace
}  // namespace gass
