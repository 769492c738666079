#pragma once

#include "core/json.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>

// Numbers that may not be there, which no result replaces by NaN.
namespace gass {

inline std::optional<double> if_finite(double value) {
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// For JSON.
inline Json or_null(const std::optional<double>& value) {
    return value ? Json(*value) : Json();
}

/// For CSV: as many digits as it takes to read the same value again.
inline std::string or_empty(const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : "";
}

}  // namespace gass
