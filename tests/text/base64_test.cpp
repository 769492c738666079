// Bytes as text and back.

#include "text/base64.h"

#include <gtest/gtest.h>

#include <span>

namespace gass {
namespace {

TEST(Base64, GoesThereAndBack) {
    for (const std::string text : {"", "f", "fo", "foo", "foob", "\xFF\xFE"}) {
        const std::string encoded = encode_base64(std::as_bytes(std::span(text)));
        EXPECT_EQ(decode_base64(encoded, "test"), text);
    }
    constexpr std::string_view kText = "foob";
    EXPECT_EQ(encode_base64(std::as_bytes(std::span(kText))), "Zm9vYg==");
}

}  // namespace
}  // namespace gass
