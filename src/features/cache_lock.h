#pragma once

#include <filesystem>

namespace gass {

/// Held while a cache is opened or begun anew, so that two processes do not replace each other's file. Lies
/// in a file of its own, `path` with ".lock" behind it, and ends with the process.
class CacheLock {
  public:
    /// Waits for whoever has it, up to `patience_ms`; throws io after that, or if there can be no such file.
    CacheLock(const std::filesystem::path& path, int patience_ms);
    ~CacheLock();
    CacheLock(const CacheLock&) = delete;
    CacheLock& operator=(const CacheLock&) = delete;

  private:
    int descriptor_ = -1;
};

}  // namespace gass
