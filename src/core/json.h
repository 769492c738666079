#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gass {

/// Keys keep the order of the file, so that what we show and write back reads like what we read.
using Json = nlohmann::ordered_json;

/// Parses one JSON text of a file or request. Refuses invalid UTF-8, duplicate keys and nesting deeper than
/// `max_depth`, with `ErrorCode::model_invalid` and `where` in front of the message. Python's NaN and
/// Infinity are read as null.
Json parse_json(std::string_view text, std::string_view where, std::size_t max_depth = 32);

/// An object with these members; of those with one key the last. `json[key] = …` for each takes quadratic
/// time, since ordered objects look a key up by walking all others.
Json json_object(std::vector<std::pair<std::string, Json>> members);

/// JSON for people and programs to read; bytes of paths that are not UTF-8 are replaced, and control
/// characters that JSON lets stand are escaped.
std::string shown(const Json& json);

/// A whole number in a range; complains about anything else, as the value of that key.
std::int64_t checked_integer(const Json& value, std::string_view where, std::string_view key,
                             std::int64_t minimum, std::int64_t maximum);

/// Typed access to the members of a JSON object that came from outside. Every complaint names the file and
/// the key; `finish()` refuses members that nobody asked for.
class JsonReader {
  public:
    /// `value` must outlive the reader. Complains if it is not an object.
    JsonReader(const Json& value, std::string_view where);

    bool has(std::string_view key) const;
    /// The member, which must be there; marks it as known.
    const Json& at(std::string_view key);
    /// The member, or nullptr if it is absent or null; marks it as known.
    const Json* find(std::string_view key);
    const std::string& string(std::string_view key);

    // Of these a value without a fallback must be there, and one of another kind is refused.
    std::int64_t integer(std::string_view key, std::optional<std::int64_t> fallback, std::int64_t minimum,
                         std::int64_t maximum);
    double number(std::string_view key, std::optional<double> fallback = std::nullopt);
    bool boolean(std::string_view key, std::optional<bool> fallback = std::nullopt);
    std::string text(std::string_view key, const std::optional<std::string>& fallback = std::nullopt);
    std::vector<std::string> texts(std::string_view key,
                                   const std::optional<std::vector<std::string>>& fallback = std::nullopt);
    /// The members that were never asked for.
    std::vector<std::string> unknown_keys() const;
    /// Complains about the first of them.
    void finish() const;

    const std::string& where() const { return where_; }

  private:
    const Json& value_;
    std::string where_;
    std::vector<std::string> known_;
};

}  // namespace gass
