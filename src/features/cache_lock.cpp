#include "features/cache_lock.h"

#include "core/fail.h"
#include "core/stopwatch.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>

namespace gass {

CacheLock::CacheLock(const std::filesystem::path& path, int patience_ms) {
    const std::string name = path.string() + ".lock";
    descriptor_ = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    if (descriptor_ < 0) fail(ErrorCode::io, name, "cannot make the file: {}", std::strerror(errno));
    const Stopwatch waiting;
    while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
        const int reason = errno;
        if (reason == EINTR) continue;
        if (reason != EWOULDBLOCK || waiting.seconds() * 1000 > patience_ms) {
            ::close(descriptor_);
            fail(ErrorCode::io, name, "cannot lock the file: {}", std::strerror(reason));
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

CacheLock::~CacheLock() {
    ::close(descriptor_);  // which unlocks it
}

}  // namespace gass
