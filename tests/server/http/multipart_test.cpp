#include "server/http/multipart.h"

#include <gass/error.h>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace gass::http {
namespace {

constexpr const char* kType = "multipart/form-data; boundary=b";

std::string part(const std::string& head, const std::string& content) {
    return "--b\r\nContent-Disposition: form-data; " + head + "\r\n\r\n" + content + "\r\n";
}

TEST(Form, IsTakenApart) {
    const std::string body = part("name=\"a\"", "1") +
                             part("name=\"f\"; filename=\"../../etc/passwd\"", "--b?\r\n--x") +
                             part("name=c", "") + "--b--\r\n";
    const std::vector<FormPart> parts =
        parse_form("Multipart/Form-Data; charset=utf-8; boundary=\"b\"", body, 3);
    ASSERT_EQ(parts.size(), 3);
    EXPECT_EQ(parts[0].name, "a");
    EXPECT_EQ(parts[0].content, "1");
    EXPECT_FALSE(parts[0].is_file);
    EXPECT_EQ(parts[1].name, "f");
    EXPECT_EQ(parts[1].content, "--b?\r\n--x");
    EXPECT_TRUE(parts[1].is_file);
    EXPECT_EQ(parts[2].content, "");
    EXPECT_THROW(parse_form(kType, body, 2), Error);
}

TEST(Form, WhatIsNoneIsRefused) {
    const std::string whole = part("name=\"a\"", "1") + "--b--";
    for (std::size_t size = 0; size < whole.size(); ++size)
        EXPECT_THROW(parse_form(kType, whole.substr(0, size), 9), Error) << size;
    EXPECT_NO_THROW(parse_form(kType, whole, 9));
    for (const char* const type :
         {"", "text/plain; boundary=b", "multipart/form-data", "multipart/form-data; boundary=\"\""})
        EXPECT_THROW(parse_form(type, whole, 9), Error) << type;
    EXPECT_THROW(parse_form(kType, part("filename=\"a\"", "1") + "--b--", 9), Error);
}

RC_GTEST_PROP(Form, WhatIsPutInComesOut, (const std::vector<std::string>& contents)) {
    std::string body;
    for (const std::string& content : contents) {
        RC_PRE(content.find("--b") == std::string::npos);
        body += part("name=\"x\"", content);
    }
    const std::vector<FormPart> parts = parse_form(kType, body + "--b--", contents.size() + 1);
    RC_ASSERT(parts.size() == contents.size());
    for (std::size_t i = 0; i < parts.size(); ++i) RC_ASSERT(parts[i].content == contents[i]);
}

}  // namespace
}  // namespace gass::http
