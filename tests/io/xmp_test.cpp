#include "io/xmp.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <span>

namespace gass {
namespace {

using namespace std::string_literals;

std::optional<std::string> parse(const std::string& packet) {
    return parse_xmp(std::as_bytes(std::span(packet)));
}

TEST(Xmp, GivesBackWhatWasWritten) {
    for (const std::string& record :
         {""s, "{}"s, R"({"prompt": "a <b> & \"c\" 'd' ]]>", "gass": "gass:record"})"s, "猫 é 😀"s, "&amp;"s,
          " spaces and\nlines\r\n\tat both ends "s, "</gass:record>"s, "\x01\x1F"s})
        EXPECT_EQ(parse(make_xmp(record)), record);
    EXPECT_TRUE(rc::check([] {
        const auto record = *rc::gen::container<std::string>(rc::gen::inRange<char>(1, 0x7F));
        RC_ASSERT(parse(make_xmp(record)) == record);
    }));
}

TEST(Xmp, ReadsWhatOthersMakeOfIt) {
    const auto description = [](const std::string& inside) {
        return "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:Description dc:title=\"gass:record\" " + inside +
               "</rdf:Description></x:xmpmeta>";
    };
    EXPECT_EQ(parse(description("> <gass:record>{&quot;a&#x22;: &#49;}</gass:record>")), R"({"a": 1})");
    EXPECT_EQ(parse(description(R"(gass:record="{&quot;a&quot;: '<'}">)")), R"({"a": '<'})");
    EXPECT_EQ(parse(description("\n gass:record='\"&#xA;&#x732B;'>")), "\"\n猫");
}

TEST(Xmp, CountsDamageAsAbsence) {
    for (const std::string& packet :
         {""s, "gass:record"s, "<gass:record>"s, "<gass:record>x"s, "<gass:record>x</gass:recor"s,
          " gass:record=\"x"s, " gass:record=x"s, " gass:record"s, "xgass:record=\"x\""s,
          "<gass:recorder>x</gass:recorder>"s})
        EXPECT_EQ(parse(packet), std::nullopt) << packet;
    for (const std::string& record :
         {"x<b/>"s, "&"s, "&;"s, "&nbsp;"s, "&#;"s, "&#0;"s, "&#xD800;"s, "&#x110000;"s, "&#99999999999;"s,
          "\xFF"s, "a\0b"s, std::string(5'000'000, 'x')})
        EXPECT_EQ(parse("<gass:record>" + record + "</gass:record>"), std::nullopt) << record.substr(0, 20);
}

}  // namespace
}  // namespace gass
