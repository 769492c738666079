#include "record/numbers_json.h"

#include "core/fail.h"
#include "core/optional_number.h"
#include "core/quote.h"
#include "core/wording.h"

#include <cmath>

namespace gass {
namespace {

// Far more than any real number of a report; arithmetic with them stays finite.
constexpr double kLargest = 1e12;

}  // namespace

std::optional<double> read_number(const Json& value, const std::string& where) {
    if (value.is_null()) return std::nullopt;
    if (!value.is_number())
        fail(ErrorCode::model_invalid, where, "expected a number, got {}", value.type_name());
    const double result = value.get<double>();
    if (!std::isfinite(result)) return std::nullopt;
    if (std::abs(result) > kLargest) fail(ErrorCode::model_invalid, where, "{} is too large", result);
    return result;
}

std::optional<double> read_number(JsonReader& reader, std::string_view key) {
    const Json* value = reader.find(key);
    return value == nullptr ? std::nullopt : read_number(*value, fmt::format("{}.{}", reader.where(), key));
}

Numbers read_numbers(const Json& value, const std::string& where) {
    Numbers result;
    for (const Json& item : read_array(value, where)) result.push_back(read_number(item, where));
    return result;
}

Numbers read_numbers(JsonReader& reader, std::string_view key) {
    return read_numbers(reader.at(key), fmt::format("{}.{}", reader.where(), key));
}

Numbers read_numbers_if_any(JsonReader& reader, std::string_view key) {
    return reader.find(key) == nullptr ? Numbers() : read_numbers(reader, key);
}

std::uint64_t read_whole(const Json& value, const std::string& where) {
    if (!value.is_number_unsigned() && !(value.is_number_integer() && value.get<std::int64_t>() >= 0))
        fail(ErrorCode::model_invalid, where, "expected a whole number of 0 or more, got {}",
             in_quotes(value.dump(-1, ' ', true), 40));
    return value.get<std::uint64_t>();
}

std::uint64_t read_whole(JsonReader& reader, std::string_view key) {
    return read_whole(reader.at(key), fmt::format("{}.{}", reader.where(), key));
}

std::string read_text_if_any(JsonReader& reader, std::string_view key) {
    return reader.find(key) == nullptr ? "" : reader.string(key);
}

const Json& read_array(const Json& value, const std::string& where) {
    if (!value.is_array())
        fail(ErrorCode::model_invalid, where, "expected an array, got {}", value.type_name());
    return value;
}

void check_length(const std::string& where, std::string_view what, std::size_t length, std::size_t wanted) {
    if (length != wanted) {
        fail(ErrorCode::model_invalid, where, "{} has {} where {} are expected", what,
             counted(length, "entry", "entries"), wanted);
    }
}

Json numbers_json(const Numbers& numbers) {
    Json json = Json::array();
    for (const std::optional<double>& number : numbers) json.push_back(or_null(number));
    return json;
}

}  // namespace gass
