#pragma once

#include <gass/error.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace gass::test {

/// Runs `action`, which must throw a gass::Error of that code whose text contains `part`.
inline void expect_error(ErrorCode code, const std::string& part, const std::function<void()>& action) {
    try {
        action();
        ADD_FAILURE() << "nothing was thrown, expected \"" << part << "\"";
    } catch (const Error& error) {
        EXPECT_EQ(to_string(error.code()), to_string(code)) << error.what();
        EXPECT_THAT(error.what(), ::testing::HasSubstr(part));
    }
}

}  // namespace gass::test
