#include "nn/config.h"

#include "core/fail.h"
#include "core/log.h"
#include "core/quote.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace gass::nn {
namespace {

/// The fallback, or a complaint that the key is missing.
template <class Value>
Value or_missing(const std::optional<Value>& fallback, const std::string& where, std::string_view key) {
    if (!fallback) fail(ErrorCode::model_invalid, where, "the key {} is missing", in_quotes(key));
    return *fallback;
}

}  // namespace

void ConfigReader::refuse(const std::string& reason) const {
    fail(ErrorCode::model_invalid, where(), "{}", reason);
}

std::int64_t ConfigReader::checked(std::string_view key, const Json& value, std::int64_t minimum,
                                   std::int64_t maximum) const {
    if (!value.is_number_integer()) {
        refuse(fmt::format("{} must be a whole number, not {}", in_quotes(key), in_quotes(value.dump())));
    }
    // A number above 2^63 is unsigned and must not wrap.
    const bool too_large = value.is_number_unsigned()
                               ? value.get<std::uint64_t>() > static_cast<std::uint64_t>(maximum)
                               : value.get<std::int64_t>() > maximum;
    if (too_large || value.get<std::int64_t>() < minimum) {
        refuse(fmt::format("{} must be {} to {}, not {}", in_quotes(key), minimum, maximum, value.dump()));
    }
    return value.get<std::int64_t>();
}

std::int64_t ConfigReader::integer(std::string_view key, std::optional<std::int64_t> fallback,
                                   std::int64_t minimum, std::int64_t maximum) {
    const Json* value = reader_.find(key);
    return value == nullptr ? or_missing(fallback, where(), key) : checked(key, *value, minimum, maximum);
}

std::int64_t ConfigReader::count(std::string_view key, std::optional<std::int64_t> fallback,
                                 std::int64_t minimum) {
    constexpr std::int64_t kMostLayers = 512;
    return integer(key, fallback, minimum, kMostLayers);
}

double ConfigReader::number(std::string_view key, std::optional<double> fallback) {
    const Json* value = reader_.find(key);
    if (value == nullptr) return or_missing(fallback, where(), key);
    if (!value->is_number() || !std::isfinite(value->get<double>()))
        refuse(fmt::format("{} must be a number", in_quotes(key)));
    return value->get<double>();
}

bool ConfigReader::boolean(std::string_view key, std::optional<bool> fallback) {
    const Json* value = reader_.find(key);
    if (value == nullptr) return or_missing(fallback, where(), key);
    if (!value->is_boolean()) refuse(fmt::format("{} must be true or false", in_quotes(key)));
    return value->get<bool>();
}

std::string ConfigReader::text(std::string_view key, const std::optional<std::string>& fallback) {
    const Json* value = reader_.find(key);
    if (value == nullptr) return or_missing(fallback, where(), key);
    if (!value->is_string()) refuse(fmt::format("{} must be text", in_quotes(key)));
    return value->get<std::string>();
}

std::vector<std::int64_t> ConfigReader::integers(std::string_view key,
                                                 const std::optional<std::vector<std::int64_t>>& fallback,
                                                 std::int64_t minimum) {
    constexpr std::size_t kMostEntries = 512;
    constexpr std::int64_t kLargest = 1'000'000;
    const Json* value = reader_.find(key);
    if (value == nullptr) return or_missing(fallback, where(), key);
    if (!value->is_array()) return {checked(key, *value, minimum, kLargest)};
    if (value->size() > kMostEntries)
        refuse(fmt::format("{} has more than {} entries", in_quotes(key), kMostEntries));
    // Nothing is a value where it is the default.
    if (value->empty() && !(fallback && fallback->empty()))
        refuse(fmt::format("{} is empty", in_quotes(key)));
    std::vector<std::int64_t> numbers;
    for (const Json& entry : *value) numbers.push_back(checked(key, entry, minimum, kLargest));
    return numbers;
}

std::vector<std::string> ConfigReader::texts(std::string_view key,
                                             const std::optional<std::vector<std::string>>& fallback) {
    const Json* value = reader_.find(key);
    if (value == nullptr) return or_missing(fallback, where(), key);
    const bool ok = value->is_array() && std::all_of(value->begin(), value->end(),
                                                     [](const Json& entry) { return entry.is_string(); });
    if (!ok) refuse(fmt::format("{} must be a list of texts", in_quotes(key)));
    return value->get<std::vector<std::string>>();
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
    std::vector<std::string> unknown;
    for (const std::string& key : reader_.unknown_keys()) {
        if (!key.starts_with('_')) unknown.push_back(in_quotes(key));
    }
    if (!unknown.empty())
        log::warn("[{}] fields that are not known here and have no effect: {}", where(),
                  fmt::join(unknown, ", "));
}

}  // namespace gass::nn
