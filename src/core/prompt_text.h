#pragma once

#include <gass/error.h>

#include <cstddef>
#include <string_view>

namespace gass {

inline constexpr std::size_t kMaxPromptBytes = 65536;

/// Throws, with `where` in front, unless the prompt is UTF-8 of a sane length. `code` is what a bad one is: a
/// user's mistake, or a broken file.
void check_prompt(std::string_view prompt, std::string_view where, ErrorCode code = ErrorCode::usage);
/// The same of a setting that holds such a text.
void check_prompt(std::string_view prompt, SettingKey setting);

}  // namespace gass
