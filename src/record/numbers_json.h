#pragma once

#include "core/json.h"

#include <gass/record.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// What the readers of reports have in common. `where` is the place in the file that a complaint names.
namespace gass {

/// None for null, and for what no double holds.
std::optional<double> read_number(const Json& value, const std::string& where);
/// A member that may be missing.
std::optional<double> read_number(JsonReader& reader, std::string_view key);
Numbers read_numbers(const Json& value, const std::string& where);
/// A member that must be there.
Numbers read_numbers(JsonReader& reader, std::string_view key);
/// A member that may be missing: then there are none.
Numbers read_numbers_if_any(JsonReader& reader, std::string_view key);

std::uint64_t read_whole(const Json& value, const std::string& where);
/// A member that must be there.
std::uint64_t read_whole(JsonReader& reader, std::string_view key);

/// A member that is text, or is missing: then it is empty.
std::string read_text_if_any(JsonReader& reader, std::string_view key);

/// The value itself, which must be an array.
const Json& read_array(const Json& value, const std::string& where);
void check_length(const std::string& where, std::string_view what, std::size_t length, std::size_t wanted);

Json numbers_json(const Numbers& numbers);

}  // namespace gass
