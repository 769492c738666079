#include "nn/config.h"

#include "core/fail.h"
#include "core/log.h"
#include "core/quote.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace gass::nn {

void ConfigReader::refuse(const std::string& reason) const {
    fail(ErrorCode::model_invalid, where(), "{}", reason);
}

std::int64_t ConfigReader::integer(std::string_view key, std::optional<std::int64_t> fallback,
                                   std::int64_t minimum, std::int64_t maximum) {
    return reader_.integer(key, fallback, minimum, maximum);
}

std::int64_t ConfigReader::count(std::string_view key, std::optional<std::int64_t> fallback,
                                 std::int64_t minimum) {
    constexpr std::int64_t kMostLayers = 512;
    return integer(key, fallback, minimum, kMostLayers);
}

std::vector<std::int64_t> ConfigReader::integers(std::string_view key,
                                                 const std::optional<std::vector<std::int64_t>>& fallback,
                                                 std::int64_t minimum) {
    constexpr std::size_t kMostEntries = 512;
    constexpr std::int64_t kLargest = 1'000'000;
    if (fallback && reader_.find(key) == nullptr) return *fallback;
    const Json& value = reader_.at(key);
    const auto checked = [&](const Json& entry) {
        return checked_integer(entry, where(), key, minimum, kLargest);
    };
    if (!value.is_array()) return {checked(value)};
    if (value.size() > kMostEntries)
        refuse(fmt::format("{} has more than {} entries", in_quotes(key), kMostEntries));
    // Nothing is a value where it is the default.
    if (value.empty() && !(fallback && fallback->empty())) refuse(fmt::format("{} is empty", in_quotes(key)));
    std::vector<std::int64_t> numbers;
    for (const Json& entry : value) numbers.push_back(checked(entry));
    return numbers;
}

void ConfigReader::require(std::string_view key, std::initializer_list<Json> allowed) {
    const Json* value = reader_.find(key);
    if (value == nullptr || std::find(allowed.begin(), allowed.end(), *value) != allowed.end()) return;
    refuse(fmt::format("{} = {} is not supported", in_quotes(key), in_quotes(value->dump())));
}

void ConfigReader::ignore(std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys) reader_.find(key);
}

void ConfigReader::finish() const {
    constexpr std::size_t kShown = 10;
    std::vector<std::string> unknown;
    std::size_t more = 0;
    for (const std::string& key : reader_.unknown_keys()) {
        if (key.starts_with('_')) continue;
        if (unknown.size() < kShown) {
            unknown.push_back(in_quotes(key));
        } else {
            ++more;
        }
    }
    if (!unknown.empty())
        log::warn("[{}] fields that are not known here and have no effect: {}{}", where(),
                  fmt::join(unknown, ", "), more == 0 ? "" : fmt::format(" and {} more", more));
}

}  // namespace gass::nn
