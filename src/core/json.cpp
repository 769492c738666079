#include "core/json.h"

#include "core/fail.h"
#include "core/quote.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace gass {
namespace {

/// Builds the document while it checks what nlohmann's own parser lets pass: duplicate keys and deep nesting.
class StrictBuilder : public nlohmann::json_sax<Json> {
  public:
    StrictBuilder(std::string_view where, std::size_t max_depth) : where_(where), max_depth_(max_depth) {}

    Json take() { return std::move(root_); }

    bool null() override { return add(nullptr); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(number_integer_t value) override { return add(value); }
    bool number_unsigned(number_unsigned_t value) override { return add(value); }
    bool number_float(number_float_t value, const string_t&) override { return add(value); }
    bool string(string_t& value) override { return add(std::move(value)); }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override { return open(Json::object()); }
    bool start_array(std::size_t) override { return open(Json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    bool key(string_t& value) override {
        if (!open_.back().keys.insert(value).second) {
            fail(ErrorCode::model_invalid, where_, "the key {} occurs twice in one JSON object",
                 in_quotes(value));
        }
        key_ = std::move(value);
        return true;
    }

    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
        std::string_view text = error.what();
        // nlohmann puts its own "[json.exception…] " in front.
        if (const auto end = text.find("] "); end != std::string_view::npos) text.remove_prefix(end + 2);
        fail(ErrorCode::model_invalid, where_, "not valid JSON: {}", text);
    }

  private:
    struct Level {
        Json value;
        std::string key;  // under which it will stand in its parent
        std::unordered_set<std::string> keys;
    };

    bool add(Json value) {
        if (open_.empty()) {
            root_ = std::move(value);
        } else if (Json& parent = open_.back().value; parent.is_array()) {
            parent.push_back(std::move(value));
        } else {
            // ordered_json looks a key up by walking all others; `keys` has shown already that it is new.
            parent.get_ref<Json::object_t&>().Container::emplace_back(std::move(key_), std::move(value));
        }
        return true;
    }

    bool open(Json value) {
        if (open_.size() >= max_depth_) {
            fail(ErrorCode::model_invalid, where_, "the JSON is nested deeper than {} levels", max_depth_);
        }
        open_.push_back({std::move(value), std::move(key_), {}});
        return true;
    }

    bool close() {
        Level level = std::move(open_.back());
        open_.pop_back();
        key_ = std::move(level.key);
        return add(std::move(level.value));
    }

    using Container = Json::object_t::Container;

    std::string where_;
    std::size_t max_depth_;
    Json root_;
    std::vector<Level> open_;
    std::string key_;
};

/// Python writes NaN and the infinities as bare words, which JSON does not know; schedulers of diffusers are
/// saved with them. They become null, "not given", without moving anything else.
std::string without_python_words(std::string_view text) {
    constexpr std::string_view kNull = "null     ";  // as long as the longest word
    std::string result;
    result.reserve(text.size());
    bool in_string = false;
    while (!text.empty()) {
        std::size_t length = 1;
        std::string_view shown;
        if (in_string && text.front() == '\\') {
            length = std::min<std::size_t>(2, text.size());
        } else if (text.front() == '"') {
            in_string = !in_string;
        } else if (!in_string) {
            for (const std::string_view word : {"-Infinity", "Infinity", "NaN"}) {
                if (!text.starts_with(word)) continue;
                length = word.size();
                shown = kNull.substr(0, std::max<std::size_t>(4, length));
                break;
            }
        }
        result += shown.empty() ? text.substr(0, length) : shown;
        text.remove_prefix(length);
    }
    return result;
}

/// The fallback, or a complaint that the key is missing.
template <class Value>
Value or_missing(const std::optional<Value>& fallback, const std::string& where, std::string_view key) {
    if (!fallback) fail(ErrorCode::model_invalid, where, "the key {} is missing", in_quotes(key));
    return *fallback;
}

}  // namespace

Json parse_json(std::string_view text, std::string_view where, std::size_t max_depth) {
    StrictBuilder builder(where, max_depth);
    if (!Json::sax_parse(without_python_words(text), &builder))
        fail(ErrorCode::model_invalid, where, "not valid JSON");
    return builder.take();
}

Json json_object(std::vector<std::pair<std::string, Json>> members) {
    Json object = Json::object();
    Json::object_t::Container& container = object.get_ref<Json::object_t&>();
    std::unordered_map<std::string, std::size_t> places;
    for (auto& [key, value] : members) {
        const auto [place, is_new] = places.try_emplace(key, container.size());
        if (is_new) {
            container.emplace_back(std::move(key), std::move(value));
        } else {
            container[place->second].second = std::move(value);
        }
    }
    return object;
}

std::string shown(const Json& json) {
    const std::string dumped = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    std::string text;
    text.reserve(dumped.size());
    for (std::size_t i = 0; i < dumped.size(); ++i) {
        const auto byte = static_cast<unsigned char>(dumped[i]);
        const auto next = static_cast<unsigned char>(i + 1 < dumped.size() ? dumped[i + 1] : 0);
        if (byte == 0x7F) {
            text += "\\u007f";
        } else if (byte == 0xC2 && next < 0xA0) {  // U+0080 to U+009F
            text += fmt::format("\\u00{:02x}", next);
            ++i;
        } else {
            text += dumped[i];
        }
    }
    return text;
}

std::int64_t checked_integer(const Json& value, std::string_view where, std::string_view key,
                             std::int64_t minimum, std::int64_t maximum) {
    if (!value.is_number_integer()) {
        fail(ErrorCode::model_invalid, where, "{} must be a whole number, not {}", in_quotes(key),
             in_quotes(value.dump()));
    }
    // A number above 2^63 is unsigned and must not wrap.
    const bool too_large = value.is_number_unsigned()
                               ? value.get<std::uint64_t>() > static_cast<std::uint64_t>(maximum)
                               : value.get<std::int64_t>() > maximum;
    if (too_large || value.get<std::int64_t>() < minimum) {
        fail(ErrorCode::model_invalid, where, "{} must be {} to {}, not {}", in_quotes(key), minimum, maximum,
             value.dump());
    }
    return value.get<std::int64_t>();
}

JsonReader::JsonReader(const Json& value, std::string_view where) : value_(value), where_(where) {
    if (!value.is_object()) {
        fail(ErrorCode::model_invalid, where_, "expected a JSON object, got {}", value.type_name());
    }
}

bool JsonReader::has(std::string_view key) const {
    return value_.contains(key);
}

const Json* JsonReader::find(std::string_view key) {
    known_.emplace_back(key);
    const auto it = value_.find(key);
    return it == value_.end() || it->is_null() ? nullptr : &*it;
}

const Json& JsonReader::at(std::string_view key) {
    const Json* member = find(key);
    if (member == nullptr) fail(ErrorCode::model_invalid, where_, "the key {} is missing", in_quotes(key));
    return *member;
}

const std::string& JsonReader::string(std::string_view key) {
    const Json& member = at(key);
    if (!member.is_string()) {
        fail(ErrorCode::model_invalid, where_, "{} must be a string, not {}", in_quotes(key),
             member.type_name());
    }
    return member.get_ref<const std::string&>();
}

std::int64_t JsonReader::integer(std::string_view key, std::optional<std::int64_t> fallback,
                                 std::int64_t minimum, std::int64_t maximum) {
    const Json* value = find(key);
    return value == nullptr ? or_missing(fallback, where_, key)
                            : checked_integer(*value, where_, key, minimum, maximum);
}

double JsonReader::number(std::string_view key, std::optional<double> fallback) {
    const Json* value = find(key);
    if (value == nullptr) return or_missing(fallback, where_, key);
    if (!value->is_number() || !std::isfinite(value->get<double>()))
        fail(ErrorCode::model_invalid, where_, "{} must be a number", in_quotes(key));
    return value->get<double>();
}

bool JsonReader::boolean(std::string_view key, std::optional<bool> fallback) {
    const Json* value = find(key);
    if (value == nullptr) return or_missing(fallback, where_, key);
    if (!value->is_boolean())
        fail(ErrorCode::model_invalid, where_, "{} must be true or false", in_quotes(key));
    return value->get<bool>();
}

std::string JsonReader::text(std::string_view key, const std::optional<std::string>& fallback) {
    const Json* value = find(key);
    if (value == nullptr) return or_missing(fallback, where_, key);
    if (!value->is_string()) fail(ErrorCode::model_invalid, where_, "{} must be text", in_quotes(key));
    return value->get<std::string>();
}

std::vector<std::string> JsonReader::texts(std::string_view key,
                                           const std::optional<std::vector<std::string>>& fallback) {
    const Json* value = find(key);
    if (value == nullptr) return or_missing(fallback, where_, key);
    const bool ok =
        value->is_array() && std::ranges::all_of(*value, [](const Json& entry) { return entry.is_string(); });
    if (!ok) fail(ErrorCode::model_invalid, where_, "{} must be a list of texts", in_quotes(key));
    return value->get<std::vector<std::string>>();
}

std::vector<std::string> JsonReader::unknown_keys() const {
    std::vector<std::string> unknown;
    for (const auto& [key, member] : value_.items()) {
        if (std::find(known_.begin(), known_.end(), key) == known_.end()) unknown.push_back(key);
    }
    return unknown;
}

void JsonReader::finish() const {
    const std::vector<std::string> unknown = unknown_keys();
    if (!unknown.empty())
        fail(ErrorCode::model_invalid, where_, "unknown key {}", in_quotes(unknown.front()));
}

}  // namespace gass
