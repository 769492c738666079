#pragma once

#include "io/file_set.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace gass {

/// The folder that a group goes into. It is made at once, so that a place that cannot be written to shows
/// before any work is done, and goes away again if nothing was put into it. No other process has it
/// meanwhile.
class OutputFolder {
  public:
    /// The folder of that path, made if it is not there. Throws usage if that cannot be a folder, or if
    /// another process writes into it. What one left that was ended is settled, there and directly below.
    explicit OutputFolder(const std::filesystem::path& path);
    /// A new folder NNNN-slug in `parent`, with the next free number. Others may take theirs meanwhile.
    static OutputFolder numbered(const std::filesystem::path& parent, std::string_view slug);
    ~OutputFolder();
    OutputFolder(OutputFolder&& other) noexcept;
    OutputFolder& operator=(OutputFolder&&) = delete;
    OutputFolder(const OutputFolder&) = delete;
    OutputFolder& operator=(const OutputFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }

  private:
    OutputFolder(const std::filesystem::path& path, double patience_seconds);

    std::filesystem::path path_;
    std::filesystem::path outermost_made_;  // empty: everything was there
    std::optional<FolderLock> lock_;
};

/// A prompt as part of a file name: "a-red-car".
std::string slug_of(std::string_view prompt);

}  // namespace gass
