#pragma once

#include <gass/error.h>

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace gass {

/// Throws an Error with a formatted message: `fail(ErrorCode::model_invalid, path, "expected …, got {}", n)`.
template <class... Args>
[[noreturn]] void fail(ErrorCode code, std::string_view where, fmt::format_string<Args...> text,
                       Args&&... args) {
    throw Error(code, where, fmt::format(text, std::forward<Args>(args)...));
}

/// About a setting: `fail(ErrorCode::usage, SettingKey("steps"), "must be 1 or more, not {}", n)`.
template <class... Args>
[[noreturn]] void fail(ErrorCode code, SettingKey setting, fmt::format_string<Args...> text, Args&&... args) {
    throw Error(code, setting, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace gass
