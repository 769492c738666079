#include "io/file_set.h"

#include "core/fail.h"
#include "core/stopwatch.h"
#include "io/file.h"
#include "io/set_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

namespace gass {
namespace {

namespace fs = std::filesystem;

/// Files on their way into the folder. Whatever is in here may be thrown away.
constexpr const char* kWriting = ".gass-writing";
/// All files of a set: they are good, and only need their places.
constexpr const char* kReady = ".gass-ready";
/// In it, the names of the files that have to go, one a line.
constexpr const char* kSurplus = ".surplus";
/// How long one that lives may take to put its files in place.
constexpr double kPatienceSeconds = 10.0;
constexpr std::chrono::milliseconds kPause{5};

bool is_real_folder(const fs::path& path) {
    std::error_code error;
    return fs::symlink_status(path, error).type() == fs::file_type::directory;
}

[[noreturn]] void fail_with(const fs::path& path, std::string_view doing, const std::error_code& error) {
    fail(ErrorCode::io, path.string(), "cannot {}: {}", doing, error.message());
}

void check(const std::error_code& error, const fs::path& path, std::string_view doing) {
    if (error) fail_with(path, doing, error);
}

/// Names in a folder are on the disk when this returns. Not every file system can; then nothing is lost but
/// safety from a power cut.
void flush_folder(const fs::path& folder) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    ::fsync(descriptor);
    ::close(descriptor);
}

/// The last steps of a commit. They can be done again from the start wherever they were left.
void put_in_place(const fs::path& folder) {
    const fs::path ready = folder / kReady;
    std::error_code error;
    if (fs::exists(ready / kSurplus, error)) {
        std::istringstream names(read_text_file(ready / kSurplus));
        for (std::string name; std::getline(names, name);) {
            if (is_file_name(name)) ::unlink((folder / name).c_str());
        }
    }
    std::vector<fs::path> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(ready, error)) {
        if (entry.path().filename() != kSurplus) names.push_back(entry.path().filename());
    }
    check(error, ready, "read the folder");
    std::ranges::sort(names);
    for (const fs::path& name : names) {
        fs::rename(ready / name, folder / name, error);
        check(error, folder / name, "name the file");
    }
    fs::remove_all(ready, error);
    check(error, ready, "remove the folder");
    flush_folder(folder);
}

/// "0003-a-red-car", as gass numbers folders of sets.
bool is_numbered(const fs::path& folder) {
    const std::string name = folder.filename().string();
    const std::size_t digits = name.find_first_not_of("0123456789");
    return digits >= 2 && digits != std::string::npos && name[digits] == '-';
}

void settle_locked(const fs::path& folder) {
    if (is_real_folder(folder / kReady)) put_in_place(folder);
    std::error_code error;
    fs::remove_all(folder / kWriting, error);
    check(error, folder / kWriting, "remove the folder");
    remove_preview(folder / kPreviewFile);
}

/// Whether a process that was ended may have left something there.
bool has_leavings(const fs::path& folder) {
    std::error_code error;
    return is_real_folder(folder / kReady) || is_real_folder(folder / kWriting) ||
           fs::exists(folder / kPreviewFile, error) || (is_numbered(folder) && fs::is_empty(folder, error));
}

}  // namespace

std::optional<FolderLock> FolderLock::take(const fs::path& folder, double patience_seconds) {
    const Stopwatch waiting;
    for (;;) {
        const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (descriptor < 0)
            fail(ErrorCode::io, folder.string(), "cannot open the folder: {}", std::strerror(errno));
        FolderLock lock(descriptor);
        if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
            if (waiting.seconds() >= patience_seconds) return std::nullopt;
            std::this_thread::sleep_for(kPause);
            continue;
        }
        // Whoever had it before may have removed the folder, and another may stand in its place by now.
        struct stat locked {};
        struct stat named {};
        if (::fstat(descriptor, &locked) != 0 || ::stat(folder.c_str(), &named) != 0 ||
            (locked.st_ino == named.st_ino && locked.st_dev == named.st_dev))
            return lock;
    }
}

FolderLock::~FolderLock() {
    if (descriptor_ >= 0) ::close(descriptor_);  // which unlocks it
}

FolderLock::FolderLock(FolderLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {
}

FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

FileSet::FileSet(const fs::path& folder) : folder_(folder) {
    settle_locked(folder);
    std::error_code error;
    fs::create_directory(folder / kWriting, error);
    check(error, folder, "create a file in the folder");
}

FileSet::~FileSet() {
    std::error_code ignored;
    fs::remove_all(folder_ / kWriting, ignored);
}

void FileSet::add(std::string_view name, std::span<const std::byte> bytes) {
    AtomicFile file(folder_ / kWriting / name);
    file.write(bytes);
    file.commit();
}

void FileSet::commit(std::span<const std::string> surplus) {
    if (!surplus.empty()) {
        std::string names;
        for (const std::string& name : surplus) names += name + "\n";
        write_text_file(folder_ / kWriting / kSurplus, names);
    }
    flush_folder(folder_ / kWriting);
    std::error_code error;
    fs::rename(folder_ / kWriting, folder_ / kReady, error);
    check(error, folder_, "name the files of the folder");
    flush_folder(folder_);
    put_in_place(folder_);
}

void settle_file_set(const fs::path& folder) {
    const fs::path place = folder.empty() ? "." : folder;
    const bool is_ready = is_real_folder(place / kReady);
    if (!is_ready && !is_real_folder(place / kWriting)) return;
    const Stopwatch waiting;
    do {
        if (const auto lock = FolderLock::take(place)) {
            try {
                settle_locked(place);
            } catch (const Error& error) {
                // Leavings that nobody may remove are no reason not to look at what is there.
                if (is_real_folder(place / kReady)) throw;
            }
            return;
        }
        if (!is_real_folder(place / kReady)) return;
        std::this_thread::sleep_for(kPause);
    } while (waiting.seconds() < kPatienceSeconds);
    fail(ErrorCode::io, place.string(), "another process has been putting a set in place for {} seconds",
         kPatienceSeconds);
}

void settle_file_sets(const fs::path& folder) {
    settle_locked(folder);
    std::error_code error;
    std::vector<fs::path> left;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
        if (is_real_folder(entry.path()) && has_leavings(entry.path())) left.push_back(entry.path());
    }
    for (const fs::path& place : left) {
        const auto lock = FolderLock::take(place);
        if (!lock) continue;
        settle_locked(place);
        if (is_numbered(place))
            fs::remove(place, error);  // fails, as it should, for one that holds something
    }
}

bool is_unsettled_file_set(const fs::directory_entry& entry) {
    return entry.path().filename() == kReady && is_real_folder(entry.path());
}

}  // namespace gass
