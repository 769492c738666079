#include "eval/suite_object.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/text.h"

#include <algorithm>
#include <utility>

namespace gass::eval {
namespace {

std::string place_in(const std::string& file, const std::string& path) {
    return path.empty() ? file : fmt::format("{}, {}", file, path);
}

bool fits_an_id(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

}  // namespace

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

std::vector<SuiteEntry> SuiteObject::entries(std::string_view key, std::size_t most) {
    std::vector<SuiteEntry> entries;
    const Json* members = find(key);
    if (members == nullptr) return entries;
    SuiteObject all = object(key);
    if (members->size() > most)
        fail(ErrorCode::model_invalid, all.where(), "{} of them; at most {} are taken", members->size(),
             most);
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
             "{} is no id: it takes letters, digits, '-' and '_', at most {} of them", in_quotes(id),
             kLongest);
}

}  // namespace gass::eval
