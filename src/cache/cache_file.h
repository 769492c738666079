#pragma once

#include "io/sqlite.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

// The file of a feature cache: its tables, its version, and what becomes of a file that has others. Whoever
// calls these holds the FileLock.
namespace gass {

/// How long a process waits for others that use the file.
inline constexpr int kCachePatienceMilliseconds = 60'000;

/// Opens the file, or makes one with our tables. A file of another version is removed first. Throws
/// DamagedDatabase if it is anything but such a file.
std::unique_ptr<Database> open_cache_file(const std::filesystem::path& path);

/// Renames the file to NAME.damaged, over an earlier one, and warns. Throws io if it cannot.
void set_cache_file_aside(const std::filesystem::path& path, const std::string& reason);

/// What tells the file of this name from one that takes its place; 0 if there is none.
std::uint64_t cache_file_number(const std::filesystem::path& path);

/// Of the file and of those that SQLite keeps beside it.
std::uint64_t cache_bytes_on_disk(const std::filesystem::path& path);

}  // namespace gass
