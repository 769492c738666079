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
        fail(ErrorCode::usage, SettingKey("steps"), "must be 1 or more, not {}", 0);
        FAIL() << "fail() returned";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "[`steps`] must be 1 or more, not 0");
        EXPECT_EQ(error.where(), "steps");
        EXPECT_EQ(error.setting(), "steps");
        EXPECT_EQ(error.message(), "must be 1 or more, not 0");
        EXPECT_EQ(error.code(), ErrorCode::usage);
    }
}

TEST(Error, IsAboutASettingOnlyIfItSaysSo) {
    const Error error(ErrorCode::io, "steps", "a file of that name");
    EXPECT_EQ(error.setting(), "");
    EXPECT_STREQ(error.what(), "[steps] a file of that name");
}

TEST(Error, ConcernsOneItemOrAll) {
    for (const ErrorCode code :
         {ErrorCode::usage, ErrorCode::failure, ErrorCode::out_of_memory, ErrorCode::model_invalid})
        EXPECT_TRUE(concerns_one_item(code)) << to_string(code);
    for (const ErrorCode code :
         {ErrorCode::io, ErrorCode::device, ErrorCode::interrupted, ErrorCode::model_not_found})
        EXPECT_FALSE(concerns_one_item(code)) << to_string(code);
}

}  // namespace
}  // namespace gass
