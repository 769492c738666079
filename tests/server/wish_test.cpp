#include "server/wish.h"

#include <gass/error.h>

#include <gtest/gtest.h>

namespace gass::server {
namespace {

const RequestLimits kLimits;

Wish wish(const std::string& body, WishKind kind = WishKind::set) {
    return read_wish(parse_body(body), kLimits, kind);
}

/// The field that is complained of.
std::string complaint(const std::string& body, WishKind kind = WishKind::set) {
    try {
        wish(body, kind);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::usage) << error.what();
        return error.where();
    }
    return "";
}

TEST(Wish, TakesSettingsByTheirNames) {
    const Wish read = wish(
        R"({"prompt": "a car", "images": 3, "strength": 0.25, "vary": "red|blue", "seeds": [1, 2], "target": null,
            "variation_seed": 7, "measure": false, "client": "me", "model": "mini-flow"})");
    EXPECT_EQ(read.request.prompt, "a car");
    EXPECT_EQ(read.request.images, 3);
    EXPECT_EQ(read.request.strength, 0.25);
    EXPECT_EQ(read.request.seeds, (std::vector<std::uint64_t>{1, 2}));
    EXPECT_EQ(read.request.variation->strength, 0.5);
    EXPECT_EQ(read.request.measure, false);
    EXPECT_FALSE(read.request.steps);
    EXPECT_EQ(read.client, "me");
    EXPECT_EQ(read.model, "mini-flow");
    EXPECT_FALSE(read.given.contains("target"));
    EXPECT_EQ(wish(R"({"prompt": "", "methods": ["none", "gass"]})", WishKind::comparison).methods.size(), 2);
}

TEST(Wish, NamesTheFieldThatIsWrong) {
    EXPECT_EQ(complaint("{}"), "prompt");
    EXPECT_EQ(complaint(R"({"prompt": 5})"), "prompt");
    EXPECT_EQ(complaint(R"({"prompt": "a", "width": 12})"), "width");
    EXPECT_EQ(complaint(R"({"prompt": "a", "width": 4096})"), "width");
    EXPECT_EQ(complaint(R"({"prompt": "a", "images": 65})"), "images");
    EXPECT_EQ(complaint(R"({"prompt": "a", "steps": "4"})"), "steps");
    EXPECT_EQ(complaint(R"({"prompt": "a", "seeds": []})"), "seeds");
    EXPECT_EQ(complaint(R"({"prompt": "a", "seeds": [-1]})"), "seeds");
    EXPECT_EQ(complaint(R"({"prompt": "a", "shield": "/etc"})"), "shield");
    EXPECT_EQ(complaint(R"({"prompt": "a", "variation_strength": 0.5})"), "variation_strength");
    EXPECT_EQ(complaint(R"({"prompt": "a", "methods": ["none"]})"), "body");
    EXPECT_EQ(complaint(R"({"prompt": "a", "methods": []})", WishKind::comparison), "methods");
    EXPECT_EQ(complaint("[]"), "body");
    EXPECT_EQ(complaint("{"), "body");
    EXPECT_EQ(complaint(R"({"prompt": "a", "prompt": "b"})"), "body");
}

}  // namespace
}  // namespace gass::server
