#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gass {

/// A folder that one process at a time may write a set into. Held no longer than the process lives, however
/// it ends, and nothing of it lies in the folder.
class FolderLock {
  public:
    /// Nothing if another has it for that long. Folders of a file system without locks count as free.
    static std::optional<FolderLock> take(const std::filesystem::path& folder, double patience_seconds = 0);
    ~FolderLock();
    FolderLock(FolderLock&& other) noexcept;
    FolderLock& operator=(FolderLock&& other) noexcept;
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

  private:
    explicit FolderLock(int descriptor) : descriptor_(descriptor) {}
    int descriptor_;
};

/// Files that appear in a folder together, over those of the same names: all of them or none. They are
/// written into a hidden folder in it; one renaming of that makes them good, and then they get their places.
/// Whoever is ended in between leaves the rest to the next that looks, by `settle_file_set`.
///
/// The folder's lock must be held.
class FileSet {
  public:
    /// Settles what an earlier one may have left.
    explicit FileSet(const std::filesystem::path& folder);
    /// Removes what was not committed.
    ~FileSet();
    FileSet(const FileSet&) = delete;
    FileSet& operator=(const FileSet&) = delete;

    /// Throws io if the disk is full, among other things.
    void add(std::string_view name, std::span<const std::byte> bytes);
    /// Removes `surplus`, names of files in the folder, and puts the set's files in place.
    void commit(std::span<const std::string> surplus);

  private:
    std::filesystem::path folder_;
};

/// Finishes or removes what a process left that was ended while it wrote a set into this folder. One that
/// lives is left alone, but waited for while it puts its files in place. Call before looking at a set.
void settle_file_set(const std::filesystem::path& folder);

/// Does so for a folder whose lock this process holds and for those directly below, and removes of these the
/// ones that gass numbered and in which nothing is.
void settle_file_sets(const std::filesystem::path& folder);

/// Whether an entry of a folder is a set that is to be settled before the folder is looked at.
bool is_unsettled_file_set(const std::filesystem::directory_entry& entry);

}  // namespace gass
