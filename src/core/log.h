#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace gass::log {

enum class Level { error, warn, info, debug };

/// What is less urgent than this is not said. The default is `warn`.
void set_level(Level level);
/// "error", "warn", "info" or "debug".
void set_level(std::string_view name);
bool is_on(Level level);

/// How a program calls what messages name, its flags in place of settings' keys for instance. Call it once,
/// before anything is said.
void set_wording(std::string (*wording)(std::string_view text));

/// One line on stderr, "gass: warning: …"; safe from several threads. Results never go here.
void write(Level level, std::string_view text);

template <class... Args>
void error(fmt::format_string<Args...> text, Args&&... args) {
    if (is_on(Level::error)) write(Level::error, fmt::format(text, std::forward<Args>(args)...));
}
template <class... Args>
void warn(fmt::format_string<Args...> text, Args&&... args) {
    if (is_on(Level::warn)) write(Level::warn, fmt::format(text, std::forward<Args>(args)...));
}
template <class... Args>
void info(fmt::format_string<Args...> text, Args&&... args) {
    if (is_on(Level::info)) write(Level::info, fmt::format(text, std::forward<Args>(args)...));
}
template <class... Args>
void debug(fmt::format_string<Args...> text, Args&&... args) {
    if (is_on(Level::debug)) write(Level::debug, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace gass::log
