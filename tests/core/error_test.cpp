#include "core/fail.h"

#include <gtest/gtest.h>

namespace gass {
namespace {

TEST(Error, HasTheDocumentedStatuses) {
    EXPECT_EQ(exit_status(ErrorCode::failure), 1);
    EXPECT_EQ(exit_status(ErrorCode::io), 1);
    EXPECT_EQ(exit_status(ErrorCode::usage), 2);
    EXPECT_EQ(exit_status(ErrorCode::model_not_found), 3);
    EXPECT_EQ(exit_status(ErrorCode::model_invalid), 3);
    EXPECT_EQ(exit_status(ErrorCode::out_of_memory), 4);
    EXPECT_EQ(exit_status(ErrorCode::device), 4);
    EXPECT_EQ(exit_status(ErrorCode::partial), 5);
    EXPECT_EQ(exit_status(ErrorCode::check_failed), 6);
    EXPECT_EQ(exit_status(ErrorCode::interrupted), 130);
    EXPECT_EQ(http_status(ErrorCode::usage), 400);
    EXPECT_EQ(http_status(ErrorCode::model_not_found), 404);
    EXPECT_EQ(to_string(ErrorCode::model_invalid), "model_invalid");
}

TEST(Error, SaysWhereFirst) {
    try {
        fail(ErrorCode::usage, "--steps", "must be 1 or more, not {}", 0);
        FAIL() << "fail() returned";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "[--steps] must be 1 or more, not 0");
        EXPECT_EQ(error.where(), "--steps");
        EXPECT_EQ(error.message(), "must be 1 or more, not 0");
        EXPECT_EQ(error.code(), ErrorCode::usage);
    }
}

}  // namespace
}  // namespace gass
