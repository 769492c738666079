#include "server/http/access.h"

#include "server/http/sha256.h"

#include <gtest/gtest.h>

namespace gass::http {
namespace {

TEST(Sha256, IsThatOfTheStandard) {
    EXPECT_EQ(short_sha256(""), "e3b0c44298fc1c149afbf4c8996fb924");
    EXPECT_EQ(short_sha256("abc"), "ba7816bf8f01cfea414140de5dae2223");
    EXPECT_EQ(short_sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039");
    EXPECT_EQ(short_sha256(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67");
    EXPECT_TRUE(is_same_digest(sha256("a"), sha256("a")));
    EXPECT_FALSE(is_same_digest(sha256("a"), sha256("b")));
}

Request request_with(const std::string& name, const std::string& value) {
    Request request;
    request.headers = {{"host", "localhost"}, {name, value}};
    return request;
}

TEST(Access, TakesAnyOfItsKeysAndNoOther) {
    const Access access({.keys = {"one", "two"}, .hosts = {}, .cors_origins = {}});
    for (const auto& [name, value] :
         {std::pair{"x-api-key", "one"}, {"x-api-key", "two"}, {"authorization", "bEaReR two"}})
        EXPECT_FALSE(access.check_key(request_with(name, value))) << value;
    for (const auto& [name, value] : {std::pair{"x-api-key", "three"},
                                      {"x-api-key", ""},
                                      {"authorization", "Bearer one "},
                                      {"authorization", "one"},
                                      {"accept", "one"}})
        EXPECT_EQ(access.check_key(request_with(name, value)).value().status, 401) << value;
}

TEST(Access, TellsHoldersOfDifferentKeysApart) {
    const Access access({.keys = {"one", "two"}, .hosts = {}, .cors_origins = {}});
    const std::string owner = access.owner(request_with("x-api-key", "one"));
    EXPECT_EQ(owner, access.owner(request_with("authorization", "Bearer one")));
    EXPECT_NE(owner, access.owner(request_with("x-api-key", "two")));
    EXPECT_EQ(owner.find("one"), std::string::npos);
}

TEST(Access, RefusesForeignHostsAndOrigins) {
    const Access access({.keys = {}, .hosts = {"gass.example"}, .cors_origins = {"https://app.example"}});
    Request request;
    EXPECT_EQ(access.check_origin(request).value().status, 400);
    request.headers = {{"host", "evil.example"}};
    EXPECT_EQ(access.check_origin(request).value().status, 403);
    for (const char* const host : {"gass.example", "localhost:1", "127.0.0.1", "[::1]"}) {
        request.headers["host"] = host;
        EXPECT_FALSE(access.check_origin(request)) << host;
    }
    request.headers = {{"host", "localhost:7860"}, {"origin", "http://localhost:7860"}};
    EXPECT_FALSE(access.check_origin(request));
    for (const char* const origin :
         {"http://localhost:1", "https://evil.example", "null", "", "https://app.example.evil"}) {
        request.headers["origin"] = origin;
        EXPECT_EQ(access.check_origin(request).value().status, 403) << origin;
    }
    request.headers["origin"] = "https://app.example";
    EXPECT_FALSE(access.check_origin(request));
    EXPECT_EQ(access.allowed_origin(request), "https://app.example");
}

TEST(Access, RefusesHostsAndOriginsThatAreNone) {
    EXPECT_THROW(Access({.keys = {}, .hosts = {"a/b"}, .cors_origins = {}}), Error);
    EXPECT_THROW(Access({.keys = {}, .hosts = {}, .cors_origins = {"example.com"}}), Error);
    EXPECT_THROW(Access({.keys = {}, .hosts = {}, .cors_origins = {"https://example.com/"}}), Error);
}

}  // namespace
}  // namespace gass::http
