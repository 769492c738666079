#include "eval/report/report_files.h"

#include "core/fail.h"
#include "eval/report/report.h"
#include "io/file.h"

#include <string>
#include <system_error>

namespace gass::eval {

namespace fs = std::filesystem;

void check_report_places(const fs::path& folder) {
    for (const char* name : kReportFiles) {
        std::error_code error;
        if (fs::exists(fs::symlink_status(folder / name, error)))
            fail(ErrorCode::usage, SettingKey("output"),
                 "{} is there already, and of no run that gass made; choose another folder",
                 (folder / name).string());
    }
}

void write_report(const fs::path& folder, const Results& results) {
    const std::array<std::string, kReportFiles.size()> texts{report_html(results), report_markdown(results),
                                                             report_latex(results), report_csv(results),
                                                             gass::shown(report_json(results))};
    for (std::size_t i = 0; i < kReportFiles.size(); ++i) write_text_file(folder / kReportFiles[i], texts[i]);
}

}  // namespace gass::eval
