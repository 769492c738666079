#include "io/mapping_guard.h"

#include "core/quote.h"

#include <gass/error.h>

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <string_view>

namespace gass {
namespace {

/// Read by a signal handler, so without locks. A mapping that finds no free slot stays without a name.
struct Slot {
    std::atomic<bool> taken = false;
    std::atomic<const std::byte*> first = nullptr;
    std::atomic<const std::byte*> end = nullptr;
    std::atomic<const char*> message = nullptr;
};
constexpr std::size_t kSlots = 1024;
std::array<Slot, kSlots> slots;

constexpr std::string_view kUnnamed =
    "gass: error: a file became shorter, or its disk failed, while it was read\n";

void say(std::string_view text) {
    // Nobody is left to tell if this fails.
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

void on_bus_error(int /*signal*/, siginfo_t* info, void* /*context*/) {
    const auto* address = static_cast<const std::byte*>(info->si_addr);
    const char* message = nullptr;
    for (const Slot& slot : slots) {
        if (slot.first.load() <= address && address < slot.end.load()) message = slot.message.load();
    }
    say(message == nullptr ? kUnnamed : std::string_view(message));
    ::_exit(exit_status(ErrorCode::model_invalid));
}

}  // namespace

void guard_mappings() {
    struct sigaction action {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGBUS, &action, nullptr);
}

MappingName::MappingName(std::span<const std::byte> bytes, const std::string& path)
    : slot_(0),
      message_("gass: error: [" + printable(path) +
               "] the file became shorter, or its disk failed, while it was read\n") {
    while (slot_ < kSlots && slots[slot_].taken.exchange(true)) ++slot_;
    if (slot_ == kSlots) return;
    slots[slot_].message = message_.c_str();
    slots[slot_].first = bytes.data();
    slots[slot_].end = bytes.data() + bytes.size();
}

MappingName::~MappingName() {
    if (slot_ == kSlots) return;
    slots[slot_].end = nullptr;
    slots[slot_].first = nullptr;
    slots[slot_].message = nullptr;
    slots[slot_].taken = false;
}

}  // namespace gass
