#include "io/file_lock.h"

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

FileLock::FileLock(const std::filesystem::path& path, int patience_ms) {
    const std::string name = file_of(path).string();
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

FileLock::~FileLock() {
    ::close(descriptor_);  // which unlocks it
}

bool FileLock::is_held(const std::filesystem::path& path) {
    const int descriptor = ::open(file_of(path).c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return false;
    const bool held = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    ::close(descriptor);
    return held;
}

std::filesystem::path FileLock::file_of(const std::filesystem::path& path) {
    return path.string() + ".lock";
}

}  // namespace gass
