#pragma once

#include "core/json.h"

#include <gass/record.h>

#include <rapidcheck.h>

#include <cmath>
#include <string>
#include <vector>

// Anything that a report may hold; to be called in a property.
namespace gass::test {

inline double any_double() {
    const double value = *rc::gen::arbitrary<double>();
    return std::isfinite(value) ? std::fmod(value, 1e12) : 0.0;
}

inline std::optional<double> any_number() {
    return *rc::gen::arbitrary<bool>() ? std::optional(any_double()) : std::nullopt;
}

inline Numbers any_numbers(std::size_t count) {
    Numbers numbers;
    for (std::size_t i = 0; i < count; ++i) numbers.push_back(any_number());
    return numbers;
}

inline std::size_t any_count(std::size_t end) {
    return *rc::gen::inRange<std::size_t>(0, end);
}

inline std::string any_text() {
    std::string text;
    for (const char* part : *rc::gen::container<std::vector<const char*>>(
             rc::gen::elementOf(std::vector<const char*>{"a", "\"", "\\", "\n", " ", "車", "}"})))
        text += part;
    return text;
}

/// As a file has it.
inline Json written(const Json& json) {
    return parse_json(json.dump(), "test");
}

}  // namespace gass::test
