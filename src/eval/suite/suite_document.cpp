#include "eval/suite/suite_document.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/text.h"
#include "io/file.h"

#include <algorithm>
#include <utility>

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

std::string place_in(const std::string& file, const std::string& path) {
    return path.empty() ? file : fmt::format("{}, {}", file, path);
}

bool fits_an_id(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
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
            fail(ErrorCode::model_invalid, where, "\"extends\": {} is not the name of a file beside this one",
                 in_quotes(base));
        path = path.parent_path() / base;
    }
    Json document = Json::object();
    for (auto part = chain.rbegin(); part != chain.rend(); ++part) document.merge_patch(*part);
    document.erase("extends");
    return document;
}

SuiteObject::SuiteObject(const Json& value, const std::string& file) : SuiteObject(value, file, "") {
}

SuiteObject::SuiteObject(const Json& value, const std::string& file, const std::string& path)
    : JsonReader(value, place_in(file, path)), file_(file), path_(path) {
}

std::string SuiteObject::path_of(std::string_view key) const {
    return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

std::string SuiteObject::place(std::string_view key) const {
    return place_in(file_, path_of(key));
}

SuiteObject SuiteObject::object(std::string_view key) {
    return {at(key), file_, path_of(key)};
}

std::vector<SuiteEntry> SuiteObject::entries(std::string_view key, std::size_t max_count) {
    std::vector<SuiteEntry> entries;
    const Json* members = find(key);
    if (members == nullptr) return entries;
    SuiteObject all = object(key);
    if (members->size() > max_count)
        fail(ErrorCode::model_invalid, all.where(), "{} of them; at most {} are taken", members->size(),
             max_count);
    for (const auto& [id, value] : members->items()) {
        check_id(id, all.where());
        entries.push_back({id, all.object(id)});
    }
    return entries;
}

std::string SuiteObject::line(std::string_view key, const std::optional<std::string>& fallback) {
    std::string value = text(key, fallback);
    check_prompt(value, place(key), ErrorCode::model_invalid);
    return value;
}

void check_id(std::string_view id, std::string_view where) {
    constexpr std::size_t kLongest = 64;
    if (id.empty() || id.size() > kLongest || !std::ranges::all_of(id, fits_an_id))
        fail(ErrorCode::model_invalid, where,
             "{} is not an id: it takes letters, digits, '-' and '_', at most {} of them", in_quotes(id),
             kLongest);
}

}  // namespace gass::eval
