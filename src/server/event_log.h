#pragma once

#include "core/json.h"

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace gass::server {

/// What happened to a job, as its listeners are told. They read it at their own pace.
class EventLog {
  public:
    /// The first event gets the number `base` + 1.
    explicit EventLog(std::int64_t base) : base_(base) {}

    /// `is_last`: the listeners are done with it.
    void add(std::string_view name, const Json& data, bool is_last = false);

    /// There will be no more, though it is not over: the server stops.
    void end();

    /// The events behind number `after`, as they go over the wire; `after` becomes that of the last of them.
    std::string read(std::int64_t& after) const;
    /// Whether there will be none behind that number.
    bool ends_at(std::int64_t after) const;

    /// `wake` is called, from any thread, whenever there is more; until it is taken away again.
    std::uint64_t subscribe(std::function<void()> wake);
    void unsubscribe(std::uint64_t ticket);

    std::int64_t base() const { return base_; }

  private:
    std::int64_t base_;
    mutable std::mutex mutex_;
    std::vector<std::string> events_;
    bool is_ended_ = false;
    std::uint64_t next_ticket_ = 1;
    std::map<std::uint64_t, std::function<void()>> listeners_;
};

/// One event as it goes over the wire.
std::string event_text(std::int64_t number, std::string_view name, const Json& data);

}  // namespace gass::server
