#include "eval/report/report_files.h"

#include "core/fail.h"
#include "eval/report/report.h"
#include "io/file.h"

#include <cstddef>
#include <exception>
#include <string>
#include <system_error>

namespace gass::eval {

namespace fs = std::filesystem;

namespace {

/// How many groups a report has that is there, as its JSON tells; 0 of what cannot be read.
std::size_t groups_reported(const fs::path& json) {
    constexpr std::size_t kLargest = std::size_t{1} << 30U;
    try {
        const Json groups = parse_json(read_text_file(json, kLargest), json.string()).at("groups");
        return groups.at("done").get<std::size_t>();
    } catch (const std::exception&) {
        return 0;
    }
}

}  // namespace

void check_report_places(const fs::path& folder) {
    for (const char* name : kReportFiles) {
        std::error_code error;
        if (fs::exists(fs::symlink_status(folder / name, error)))
            fail(ErrorCode::usage, SettingKey("output"),
                 "{} exists already and does not belong to a run of gass; choose another folder",
                 (folder / name).string());
    }
}

void check_report_is_no_emptier(const fs::path& folder, const Results& results) {
    const std::size_t reported = groups_reported(folder / kReportFiles.back());
    if (results.done < reported)
        fail(
            ErrorCode::usage, SettingKey("output"),
            "the report in {} is of {} groups, and this one would be of {} only: it stays as it is. Say what "
            "the run was made with",
            folder.string(), reported, results.done);
}

void write_report(const fs::path& folder, const Results& results) {
    const std::array<std::string, kReportFiles.size()> texts{report_html(results), report_markdown(results),
                                                             report_latex(results), report_csv(results),
                                                             gass::shown(report_json(results))};
    for (std::size_t i = 0; i < kReportFiles.size(); ++i) write_text_file(folder / kReportFiles[i], texts[i]);
}

}  // namespace gass::eval
