#pragma once

#include <sys/resource.h>

#include <csignal>
#include <functional>

namespace gass::test {

/// Runs `action` while no file of this process can grow beyond `bytes`: what a full disk looks like to a
/// writer.
inline void with_full_disk_after(rlim_t bytes, const std::function<void()>& action) {
    rlimit old{};
    ::getrlimit(RLIMIT_FSIZE, &old);
    const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);  // else the signal ends the process
    const rlimit limited{bytes, old.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limited);
    action();
    ::setrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, old_handler);
}

}  // namespace gass::test
