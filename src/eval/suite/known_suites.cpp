#include "eval/suite/known_suites.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/wording.h"
#include "eval/suite/suite_document.h"
#include "io/file.h"
#include "io/model_lookup.h"

#include <fmt/ranges.h>

#include <string>
#include <system_error>

namespace gass::eval {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".json";
constexpr std::string_view kFolder = "suites";

}  // namespace

std::vector<KnownSuite> list_suites() {
    std::vector<KnownSuite> suites;
    for (const fs::path& file : data_files(kFolder)) {
        const Json document = read_suite_document(file);
        SuiteObject suite(document, file.string());
        suites.push_back({file.stem().string(), suite.line("title"), suite.line("description", ""), file});
    }
    return suites;
}

fs::path find_suite(std::string_view name) {
    std::error_code error;
    if (fs::is_regular_file(fs::path(name), error)) return name;
    if (is_file_name(name)) {
        const std::string file = std::string(name) + std::string(name.ends_with(kEnding) ? "" : kEnding);
        const fs::path path = data_folder() / kFolder / file;
        if (fs::is_regular_file(path, error)) return path;
    }
    std::vector<std::string> known;
    for (const fs::path& file : data_files(kFolder)) known.push_back(file.stem().string());
    fail(ErrorCode::model_not_found, "suite", "{} is neither a file nor one of {}{}", in_quotes(name),
         fmt::join(known, ", "), did_you_mean(name, known));
}

}  // namespace gass::eval
