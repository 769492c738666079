#include "eval/suite/suite_document.h"

#include "core/fail.h"
#include "core/quote.h"
#include "io/file.h"

#include <algorithm>
#include <string>
#include <vector>

namespace gass::eval {
namespace {

namespace fs = std::filesystem;

/// Merging looks every key up among all others: objects of any size would take for ever.
void check_members(const Json& value, const std::string& where) {
    constexpr std::size_t kMost = 1000;
    if (value.is_object() && value.size() > kMost)
        fail(ErrorCode::model_invalid, where, "an object with {} members; at most {} are taken", value.size(),
             kMost);
    if (!value.is_structured()) return;
    for (const Json& member : value) check_members(member, where);
}

}  // namespace

Json read_suite_document(const fs::path& file) {
    constexpr std::size_t kLongestChain = 8;
    std::vector<Json> chain;  // each extends the next
    std::vector<fs::path> seen;
    for (fs::path path = file;;) {
        const std::string where = path.string();
        if (std::ranges::find(seen, path) != seen.end())
            fail(ErrorCode::model_invalid, file.string(), "{} extends itself",
                 in_quotes(path.filename().string()));
        if (seen.size() == kLongestChain)
            fail(ErrorCode::model_invalid, file.string(), "extends more than {} suites, one upon the other",
                 kLongestChain - 1);
        seen.push_back(path);
        chain.push_back(parse_json(read_text_file(path, kMaxSuiteFile), where));
        check_members(chain.back(), where);
        JsonReader suite(chain.back(), where);
        if (suite.find("extends") == nullptr) break;
        const std::string base = suite.string("extends");
        if (!is_file_name(base))
            fail(ErrorCode::model_invalid, where, "\"extends\": {} is no name of a file beside this one",
                 in_quotes(base));
        path = path.parent_path() / base;
    }
    Json document = Json::object();
    for (auto part = chain.rbegin(); part != chain.rend(); ++part) document.merge_patch(*part);
    document.erase("extends");
    return document;
}

}  // namespace gass::eval
