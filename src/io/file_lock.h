#pragma once

#include <filesystem>

namespace gass {

/// Held by one process at a time, and no longer than the process lives, however it ends. Lies in a file of
/// its own, `path` with ".lock" behind it.
class FileLock {
  public:
    /// Waits for whoever has it, up to `patience_ms`; throws io after that, or if there can be no such file.
    FileLock(const std::filesystem::path& path, int patience_ms);
    ~FileLock();
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

    /// Whether some process has the lock of that path.
    static bool is_held(const std::filesystem::path& path);
    /// Where the lock of that path lies.
    static std::filesystem::path file_of(const std::filesystem::path& path);

  private:
    int descriptor_ = -1;
};

}  // namespace gass
