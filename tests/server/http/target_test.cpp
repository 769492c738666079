#include "server/http/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace gass::http {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(Target, IsTakenApartAndDecoded) {
    const auto target = parse_target("/api/v1/a%20car?query=red+car%21&empty&limit=3");
    ASSERT_TRUE(target);
    EXPECT_THAT(target->path, ElementsAre("api", "v1", "a car"));
    EXPECT_THAT(target->query, ElementsAre(Pair("empty", ""), Pair("limit", "3"), Pair("query", "red car!")));
    EXPECT_TRUE(parse_target("/")->path.empty());
    EXPECT_TRUE(parse_target("/?")->query.empty());
}

TEST(Target, WhatLeadsElsewhereIsNone) {
    for (const char* const text :
         {"",       "a",      "*",       "http://x/y", "/..",    "/a/../b",  "/.", "/%2e%2e/a",
          "/a%2fb", "/a%5cb", "/a\\b",   "/%00",       "/%0a",   "/%1b[31m", "/%", "/%4",
          "/%zz",   "/%ff",   "/%c0%ae", "/a?b=%",     "/a?%ff", "/a?b=%00"})
        EXPECT_FALSE(parse_target(text)) << text;
}

RC_GTEST_PROP(Target, NoPartOfAnyIsAWayOutOfAFolder, (const std::string& text)) {
    const auto target = parse_target("/" + text);
    if (!target) return;
    for (const std::string& part : target->path) {
        RC_ASSERT(part != "." && part != "..");
        RC_ASSERT(part.find_first_of(std::string("/\\\0\n\r", 5)) == std::string::npos);
    }
}

TEST(Host, IsWhatStandsBeforeThePort) {
    EXPECT_EQ(host_of("Example.COM:80"), "example.com");
    EXPECT_EQ(host_of("[::1]:7860"), "[::1]");
    EXPECT_EQ(host_of("localhost."), "localhost");
    for (const char* const text :
         {"", ".", "a b", "a/b", "a:b", "a:99999", "a:1:2", "[::1", "[::1]x", "u@h", "a\n"})
        EXPECT_FALSE(host_of(text)) << text;
}

TEST(Host, OfNumbersIsAnAddress) {
    for (const char* const text : {"127.0.0.1", "10.1.2.3", "[::1]", "[fe80::1]"})
        EXPECT_TRUE(is_address(text)) << text;
    for (const char* const text :
         {"localhost", "127.0.0.1.evil.example", "1", "127.1", "0x7f.0.0.1", "[evil]", "::1"})
        EXPECT_FALSE(is_address(text)) << text;
}

}  // namespace
}  // namespace gass::http
