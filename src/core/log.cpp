#include "core/log.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/text.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace gass::log {
namespace {

spdlog::level::level_enum spdlog_level(Level level) {
    switch (level) {
        case Level::error:
            return spdlog::level::err;
        case Level::warn:
            return spdlog::level::warn;
        case Level::info:
            return spdlog::level::info;
        case Level::debug:
            return spdlog::level::debug;
    }
    return spdlog::level::off;
}

spdlog::logger& logger() {
    static spdlog::logger instance = [] {
        spdlog::logger made("gass", std::make_shared<spdlog::sinks::stderr_sink_mt>());
        made.set_pattern("gass: %l: %v");
        made.set_level(spdlog::level::warn);
        made.flush_on(spdlog::level::trace);
        return made;
    }();
    return instance;
}

std::string (*worded)(std::string_view text) = [](std::string_view text) { return std::string(text); };

}  // namespace

void set_level(Level level) {
    logger().set_level(spdlog_level(level));
}

void set_level(std::string_view name) {
    for (const auto& [known, level] : {std::pair<std::string_view, Level>{"error", Level::error},
                                       {"warn", Level::warn},
                                       {"info", Level::info},
                                       {"debug", Level::debug}}) {
        if (name == known) return set_level(level);
    }
    fail(ErrorCode::usage, "log_level", "expected error, warn, info or debug, got {}", in_quotes(name));
}

bool is_on(Level level) {
    return logger().should_log(spdlog_level(level));
}

void set_wording(std::string (*wording)(std::string_view text)) {
    worded = wording;
}

void write(Level level, std::string_view text) {
    // Lines after the first are indented: what a file's name or a model's text says cannot pass for a
    // message.
    logger().log(spdlog_level(level), "{}", with_replaced(printable(worded(text)), "\n", "\n    "));
}

}  // namespace gass::log
