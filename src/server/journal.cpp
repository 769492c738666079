#include "server/journal.h"

#include "core/log.h"
#include "server/job.h"

#include <array>
#include <cstdio>

namespace gass::server {

void journal(Severity severity, std::string_view event, const Json& members) {
    constexpr std::array kLevels{log::Level::debug, log::Level::info, log::Level::warn, log::Level::error};
    constexpr std::array kNames{"debug", "info", "warn", "error"};
    const auto index = static_cast<std::size_t>(severity);
    if (!log::is_on(kLevels[index])) return;
    Json line{{"time", moment_json(now_in_milliseconds())}, {"level", kNames[index]}, {"event", event}};
    line.update(members);
    // ASCII, so that no character of a terminal's or of another line's can come from outside.
    const std::string text = line.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
    std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace gass::server
