#include "eval/report/report_files.h"

#include "eval/report/sample_results.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

#include <gtest/gtest.h>

namespace gass::eval {
namespace {

using test::expect_error;

TEST(ReportFiles, AnEmptierReportTakesNoOthersPlace) {
    const test::TemporaryFolder folder;
    Results results = sample_results();
    check_report_is_no_emptier(folder.path(), results);
    write_report(folder.path(), results);
    check_report_is_no_emptier(folder.path(), results);
    ++results.done;
    check_report_is_no_emptier(folder.path(), results);
    results.done -= 2;
    expect_error(ErrorCode::usage, "is of 35 groups, and this one would be of 34 only",
                 [&] { check_report_is_no_emptier(folder.path(), results); });
    for (const char* damaged : {"", "[]", "{\"groups\": {\"done\": \"all\"}}"}) {
        folder.write("results.json", damaged);
        check_report_is_no_emptier(folder.path(), results);
    }
}

}  // namespace
}  // namespace gass::eval
