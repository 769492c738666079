#include "server/event_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gass::server {
namespace {

/// At once goes no more than this, so that a listener who catches up holds little memory.
constexpr std::size_t kEventPiece = std::size_t{64} << 10U;

}  // namespace

std::string event_text(std::int64_t number, std::string_view name, const Json& data) {
    return fmt::format("id: {}\nevent: {}\ndata: {}\n\n", number, name,
                       data.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void EventLog::add(std::string_view name, const Json& data, bool is_last) {
    std::vector<std::function<void()>> wakes;
    {
        const std::lock_guard lock(mutex_);
        if (is_ended_) return;
        events_.push_back(event_text(base_ + static_cast<std::int64_t>(events_.size()) + 1, name, data));
        is_ended_ = is_last;
        for (const auto& [ticket, wake] : listeners_) wakes.push_back(wake);
    }
    for (const auto& wake : wakes) wake();
}

void EventLog::end() {
    std::vector<std::function<void()>> wakes;
    {
        const std::lock_guard lock(mutex_);
        is_ended_ = true;
        for (const auto& [ticket, wake] : listeners_) wakes.push_back(wake);
    }
    for (const auto& wake : wakes) wake();
}

std::string EventLog::read(std::int64_t& after) const {
    const std::lock_guard lock(mutex_);
    // Whoever heard of an earlier attempt, or of none, hears all of this one.
    const auto count = static_cast<std::int64_t>(events_.size());
    if (after < base_ || after > base_ + count) after = base_;
    std::string text;
    while (after - base_ < count && text.size() < kEventPiece)
        text += events_[static_cast<std::size_t>(after++ - base_)];
    return text;
}

bool EventLog::ends_at(std::int64_t after) const {
    const std::lock_guard lock(mutex_);
    return is_ended_ && after >= base_ + static_cast<std::int64_t>(events_.size());
}

std::uint64_t EventLog::subscribe(std::function<void()> wake) {
    const std::lock_guard lock(mutex_);
    listeners_.emplace(next_ticket_, std::move(wake));
    return next_ticket_++;
}

void EventLog::unsubscribe(std::uint64_t ticket) {
    const std::lock_guard lock(mutex_);
    listeners_.erase(ticket);
}

}  // namespace gass::server
